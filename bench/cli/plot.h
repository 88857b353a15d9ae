/* SPDX-License-Identifier: MIT */
/* Charts as SVG or PNG files, drawn by gnuplot (Debian: gnuplot-nox).
 *
 * A bar chart has a cluster per category and a bar per series, or a dot where the y axis is
 * logarithmic, with whiskers from low to high. A line chart joins the points of each series, with
 * whiskers if low and high are given. Values that are not finite are left out. */
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
  double log_y_from; /* where a logarithmic y axis begins; 0: at the data */
};

/* Checks that the suffix is .svg or .png; to be called before measuring. Returns 0, or an exit
 * status after saying what is wrong. NULL is fine. */
int td_plot_check(const char *path);

/* Draws the charts, at least one, below each other into one file. Returns 0, or an exit status
 * after saying why not; then the old file, if there was one, is still there. */
int td_plot_write(const struct td_chart *charts, size_t count, const char *path);

#endif
