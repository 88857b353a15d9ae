/* SPDX-License-Identifier: MIT */
/* A comparison for a reader without the source and the program.
 *
 * One file without links to others: style and pictures (inline SVG) are inside. */
#ifndef TD_BENCH_REPORT_REPORT_H
#define TD_BENCH_REPORT_REPORT_H

#include "bench/marking/comparison.h"

/* path NULL: nothing. Returns 0, or an exit status after saying what went wrong; then there is no
 * file, or the old one. */
int td_report_write(const struct td_comparison *comparison, const char *path);

#endif
