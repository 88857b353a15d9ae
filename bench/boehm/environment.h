/* SPDX-License-Identifier: MIT */
/* What our programs on Boehm GC do to their environment. */
#ifndef TD_BENCH_BOEHM_ENVIRONMENT_H
#define TD_BENCH_BOEHM_ENVIRONMENT_H

/* Removes the collector's own variables (GC_MARKERS, GC_INITIAL_HEAP_SIZE, …): they would change
 * what is compared, and no result would show it. */
void td_boehm_clean_environment(void);

#endif
