/* SPDX-License-Identifier: MIT */
/* A finished comparison as a chart. */
#ifndef TD_BENCH_COMPARE_CHART_H
#define TD_BENCH_COMPARE_CHART_H

#include "bench/marking/comparison.h"

/* path NULL: nothing. Returns 0, or an exit status after saying what went wrong. */
int td_compare_plot(const struct td_comparison *comparison, const char *path);

#endif
