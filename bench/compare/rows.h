/* SPDX-License-Identifier: MIT */
/* A finished comparison as JSON. */
#ifndef TD_BENCH_COMPARE_ROWS_H
#define TD_BENCH_COMPARE_ROWS_H

#include "bench/marking/comparison.h"

/* path NULL: nothing. Returns 0, or an exit status after saying what went wrong. */
int td_compare_json(const struct td_comparison *comparison, const char *path);

#endif
