/* SPDX-License-Identifier: MIT */
/* The victim policies that `tidemark` compares with the library's (marker/queue/policy.h).
 *
 * sequential    one after the other
 * last          where something was found last; from there on one after the other
 * best-of-many  of all others, the one that has most to steal
 * numa          random among the nearest; farther ones after the near ones have failed
 * random+prob, numa+prob
 *               the choice is accepted with a probability that grows with what its queue has to
 *               steal; otherwise another is drawn. Source: Wang et al., BWoS, OSDI 2023. */
#ifndef TD_BENCH_RIVALS_POLICIES_H
#define TD_BENCH_RIVALS_POLICIES_H

#include "marker/queue/policy.h"

/* Returns true with probability size / longest, and always if size is longest or more: a victim of
 * `size`, where the longest queue has `longest`, is accepted at this throw of the dice (uniform
 * over all 32-bit numbers). */
bool td_policy_accepts(uint64_t size, uint64_t longest, uint32_t dice);

#endif
