/* A finished comparison as a table, as JSON, and as a chart. */
#ifndef TD_BENCH_COMPARE_ROWS_H
#define TD_BENCH_COMPARE_ROWS_H

#include <stdio.h>

#include "bench/cli/complain.h"
#include "bench/cli/plot.h"
#include "bench/compare/comparison.h"

void td_compare_print(const struct td_comparison *comparison, FILE *out);
void td_compare_json(const struct td_comparison *comparison, FILE *out);
/* Writes one of these (or a report) to a file that appears whole or not at all; NULL: nothing.
 * 0, or an exit status after saying why, as the next. */
int td_compare_write(const struct td_comparison *comparison, const char *path,
                     void (*write)(const struct td_comparison *, FILE *));
int td_compare_plot(const struct td_comparison *comparison, const char *path);

#endif
