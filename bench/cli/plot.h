/* Charts as SVG or PNG files, drawn by gnuplot (Debian: gnuplot-nox).
 *
 * Bars: one cluster per category, one bar per series, whiskers from low to high.
 * Lines: points of every series joined, whiskers if low and high are given.
 * Values that are not finite are left out. */
#ifndef TD_BENCH_CLI_PLOT_H
#define TD_BENCH_CLI_PLOT_H

#include <stdbool.h>
#include <stddef.h>

struct td_series {
  const char *name;
  const double *x; /* lines only */
  const double *y;
  const double *low, *high; /* both or neither */
  size_t count;             /* bars: the number of categories */
};

struct td_chart {
  const char *title, *x_label, *y_label; /* labels may be NULL */
  const char *const *categories;         /* bars; NULL: a line chart */
  size_t category_count;
  const struct td_series *series;
  size_t series_count;
  bool log_x, log_y;
};

/* Returns 0 if the suffix is .svg or .png, or an exit status after saying that it is not. NULL is
 * fine. Asked before measuring. */
int td_plot_check(const char *path);

/* Draws the charts, at least one, below each other into one file. Returns 0, or an exit status
 * after saying why; then there is no file, or the old one. */
int td_plot_write(const struct td_chart *charts, size_t count, const char *path);

#endif
