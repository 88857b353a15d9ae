/* SPDX-License-Identifier: MIT */
/* What the caches of this machine hold for this program, and how long a line takes from them. */
#ifndef TD_BENCH_SIMULATE_LAST_CACHE_H
#define TD_BENCH_SIMULATE_LAST_CACHE_H

#include <stdbool.h>

#include "bench/simulate/costs.h"

/* A machine that others use, too, may give a program a part of the last cache only. Sets own_ns,
 * cache_ns, cache_line_ns and cache_mib. Takes a second. Returns false without memory. */
bool td_last_cache_measure(struct td_costs *costs);

#endif
