/* SPDX-License-Identifier: MIT */
/* Tells where in the library's code markers wait: tidemark-simulate --waits. */
#ifndef TD_BENCH_SIMULATE_WAITS_H
#define TD_BENCH_SIMULATE_WAITS_H

#include <stdio.h>

#include "bench/simulate/result.h"

/* Returns an exit status, after saying what went wrong. */
int td_simulate_print_waits(const struct td_simulate_result *result, FILE *out);

#endif
