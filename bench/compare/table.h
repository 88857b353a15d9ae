/* SPDX-License-Identifier: MIT */
/* A finished comparison as a table. */
#ifndef TD_BENCH_COMPARE_TABLE_H
#define TD_BENCH_COMPARE_TABLE_H

#include <stdio.h>

#include "bench/marking/comparison.h"

/* Returns 0, or an exit status after saying what went wrong. */
int td_compare_print(const struct td_comparison *comparison, FILE *out);

#endif
