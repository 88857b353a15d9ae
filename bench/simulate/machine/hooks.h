/* SPDX-License-Identifier: MIT */
/* Included before every file of the library that is compiled for the simulation: what a thread
 * sanitizer's instrumentation does not tell. */
#ifndef TD_BENCH_SIMULATE_MACHINE_HOOKS_H
#define TD_BENCH_SIMULATE_MACHINE_HOOKS_H

#include "platform/platform.h"

void td_sim_prefetch(const void *address);
void td_sim_pause(void);

#define TD_SIM_FIRST(first, ...) (first)
#define __builtin_prefetch(...) td_sim_prefetch((const void *)TD_SIM_FIRST(__VA_ARGS__, 0))
#define td_plat_pause td_sim_pause

#endif
