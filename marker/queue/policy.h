/* SPDX-License-Identifier: MIT */
/* Victim choice: whose queue a thief tries next. The marker and `tidemark queue` use it.
 *
 * A policy is a thief's own plain data: it allocates nothing, shares nothing, and has a random
 * generator of its own. The thief asks for a victim, tries to steal, and tells how it went:
 *
 *   uint32_t victim = td_policy_next(&policy);
 *   int32_t count = ... steal from victim ...;
 *   td_policy_tell(&policy, victim, count > 0);
 *
 * random        any other, all equally likely
 * sequential    one after the other
 * last          where something was found last; from there on one after the other
 * best-of-two   of two random ones, the one that has more to steal
 * best-of-many  of all others, the one that has most to steal
 * numa          random among the nearest; farther ones after the near ones have failed
 * random+prob, numa+prob
 *               the choice is accepted with a probability that grows with what its queue has to
 *               steal; otherwise another is drawn. Source: Wang et al., BWoS, OSDI 2023.
 *
 * How much there is to steal is an estimate (td_Q_size of marker/queue/contract.h), read from the
 * metadata of one block. That costs the victim's owner little, but not nothing. So a thief
 * with only one victim does not ask: then no policy costs anything. */
#ifndef TD_MARKER_QUEUE_POLICY_H
#define TD_MARKER_QUEUE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum td_policy_kind {
  TD_POLICY_RANDOM,
  TD_POLICY_SEQUENTIAL,
  TD_POLICY_LAST,
  TD_POLICY_BEST_OF_TWO,
  TD_POLICY_BEST_OF_MANY,
  TD_POLICY_NUMA,
  TD_POLICY_RANDOM_PROB,
  TD_POLICY_NUMA_PROB,
};

/* What markers use unless an option chooses: the choice of Arora, Blumofe and Plaxton, for which
 * nothing has to be known of the others. */
#define TD_POLICY_DEFAULT TD_POLICY_RANDOM

/* What td_policy_next returns where there is no other queue to steal from. */
#define TD_POLICY_NOBODY UINT32_MAX

/* Returns roughly how many items could be stolen from the victim. The thief calls it; it must not
 * wait. */
typedef uint64_t td_policy_size(void *context, uint32_t victim);

struct td_policy_options {
  enum td_policy_kind kind;
  uint32_t self;  /* this thief's number, < count */
  uint32_t count; /* of thieves and victims together */
  /* For kinds that compare sizes. The others ignore it. */
  td_policy_size *size;
  void *context;
  /* For the numa kinds: distances[v] is the distance from here to v, for all v < count. The array
   * is the caller's and outlives the policy. Where it is NULL, or all others are equally far, there
   * is nothing to choose by. */
  const uint32_t *distances;
};

struct td_policy {
  struct td_policy_options options;
  enum td_policy_kind kind; /* in force, see td_policy_init */
  uint32_t only;            /* the victim if there is one, TD_POLICY_NOBODY if there are more */
  uint32_t random;          /* never 0 */
  uint32_t turn;            /* sequential, last: where to begin the next time */
  uint32_t radius;          /* numa: victims no farther than this */
  uint32_t patience;        /* numa: failures until radius grows */
  uint64_t longest;         /* prob: the largest size seen lately */
};

/* Returns the kind's name as above, or NULL past the last. */
const char *td_policy_name(enum td_policy_kind kind);
/* Finds the kind of that name. Returns false, and changes nothing, if there is none. */
bool td_policy_find(const char *name, enum td_policy_kind *kind);

/* Returns the kind that is in force where no distances are known: a numa kind's random counterpart,
 * any other kind itself. */
enum td_policy_kind td_policy_without_distances(enum td_policy_kind kind);

/* options.self < options.count, and size is set if the kind compares sizes. Returns the kind in
 * force: numa kinds without different distances become their random counterparts, and the caller
 * should say so. */
enum td_policy_kind td_policy_init(struct td_policy *policy,
                                   const struct td_policy_options *options);

/* What the next two do where there is not exactly one victim. */
uint32_t td_policy_choose(struct td_policy *policy);
void td_policy_learn(struct td_policy *policy, uint32_t victim, bool taken);

/* Returns a victim other than self, or TD_POLICY_NOBODY if there is none at all. */
static inline uint32_t td_policy_next(struct td_policy *policy) {
  return policy->only != TD_POLICY_NOBODY ? policy->only : td_policy_choose(policy);
}

/* Tells how the steal went. */
static inline void td_policy_tell(struct td_policy *policy, uint32_t victim, bool taken) {
  if (policy->only == TD_POLICY_NOBODY) td_policy_learn(policy, victim, taken);
}

/* Returns true with probability size / longest, and always if size is longest or more: a victim of
 * `size`, where the longest queue has `longest`, is accepted at this throw of the dice (uniform
 * over all 32-bit numbers). */
bool td_policy_accepts(uint64_t size, uint64_t longest, uint32_t dice);

#endif
