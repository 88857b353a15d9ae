/* out/report.html: a comparison for a reader who has neither the source nor the program.
 *
 * One file without links to others: style and pictures (inline SVG) are inside. */
#ifndef TD_BENCH_COMPARE_REPORT_H
#define TD_BENCH_COMPARE_REPORT_H

#include <stdio.h>

#include "bench/compare/comparison.h"

void td_report_write(const struct td_comparison *comparison, FILE *out);

#endif
