/* SPDX-License-Identifier: MIT */
/* The plot: a chart per graph, speed-up against markers, and the bound. */
#include <stdlib.h>
#include <string.h>

#include "bench/cli/complain.h"
#include "bench/cli/plot.h"
#include "bench/simulate/result.h"

/* The rows of one graph, [from, to): engine after engine, each with the same numbers of markers. */
struct part {
  const struct td_simulate_row *rows;
  size_t count, per_engine;
  double *x, *y, *bound; /* [count], [count], [per_engine] */
  struct td_series *series;
};

static size_t same_engine(const struct td_simulate_row *rows, size_t count) {
  size_t n = 1;
  while (n < count && strcmp(rows[n].at.engine, rows[0].at.engine) == 0)
    n++;
  return n;
}

static struct td_chart chart_of(struct part *part) {
  size_t engines = part->count / part->per_engine;
  for (size_t i = 0; i < part->count; i++) {
    part->x[i] = part->rows[i].at.markers;
    part->y[i] = td_simulate_speedup(&part->rows[i]);
  }
  for (size_t i = 0; i < part->per_engine; i++)
    part->bound[i] = td_simulate_bound(&part->rows[i]);
  for (size_t e = 0; e < engines; e++)
    part->series[e] = (struct td_series){.name = part->rows[e * part->per_engine].at.engine,
                                         .x = part->x + e * part->per_engine,
                                         .y = part->y + e * part->per_engine,
                                         .count = part->per_engine};
  part->series[engines] = (struct td_series){
      .name = "bound", .x = part->x, .y = part->bound, .count = part->per_engine};
  return (struct td_chart){.title = part->rows[0].graph,
                           .x_label = "markers",
                           .y_label = "speed-up, simulated",
                           .series = part->series,
                           .series_count = engines + 1,
                           .log_x = true,
                           .log_y = true};
}

static bool make_part(struct part *part) {
  part->x = calloc(3 * part->count, sizeof *part->x);
  part->series = calloc(part->count + 1, sizeof *part->series);
  if (!part->x || !part->series) return false;
  part->y = part->x + part->count;
  part->bound = part->y + part->count;
  return true;
}

static size_t same_graph(const struct td_simulate_row *rows, size_t count) {
  size_t n = 1;
  while (n < count && rows[n].graph == rows[0].graph)
    n++;
  return n;
}

int td_simulate_plot(const struct td_simulate_result *result, const char *path) {
  if (!path) return TD_EXIT_OK;
  struct part *parts = calloc(result->row_count, sizeof *parts);
  struct td_chart *charts = calloc(result->row_count, sizeof *charts);
  size_t count = 0;
  bool made = parts && charts;
  for (size_t at = 0; made && at < result->row_count; at += parts[count++].count) {
    struct part *part = &parts[count];
    part->rows = &result->rows[at];
    part->count = same_graph(part->rows, result->row_count - at);
    part->per_engine = same_engine(part->rows, part->count);
    made = make_part(part);
    if (made) charts[count] = chart_of(part);
  }
  int status = made ? td_plot_write(charts, count, path)
                    : td_complain(TD_EXIT_RESOURCES, "not enough memory for the plot");
  for (size_t i = 0; parts && i < result->row_count; i++) {
    free(parts[i].x);
    free(parts[i].series);
  }
  free(parts);
  free(charts);
  return status;
}
