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

/* Is the suffix .svg or .png, and can the file be made? 0, or an exit status after saying why.
 * NULL is fine. Ask before measuring. */
int td_plot_check(const char *path);

/* Draws the charts, one below the other, into one file. 0, or an exit status after saying why;
 * then there is no file, or the old one. */
int td_plot_write(const struct td_chart *charts, size_t count, const char *path);

#endif
