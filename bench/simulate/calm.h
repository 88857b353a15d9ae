/* SPDX-License-Identifier: MIT */
/* Whether others slow the processor down at this moment. A virtual processor may be one of two
 * threads of a core: while the other one is busy, this one executes half as fast, for a second or
 * so. What is measured then says nothing of this machine. */
#ifndef TD_BENCH_SIMULATE_CALM_H
#define TD_BENCH_SIMULATE_CALM_H

#include <stdbool.h>

#include "bench/threads/cpus.h"

/* Executes some instructions on each CPU. Returns whether they took about as little time as they
 * ever did. */
bool td_is_calm(const struct td_cpus *cpus);
/* Sleeps until it is so, but not for long, and half a minute in all. */
void td_wait_for_calm(const struct td_cpus *cpus);

#endif
