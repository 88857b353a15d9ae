/* SPDX-License-Identifier: MIT */
#include "bench/compare/chart.h"

#include <stdlib.h>

#include "bench/cli/complain.h"
#include "bench/cli/plot.h"

/* One series per engine and marker count. Where a graph has no such row, the series has a gap. */
struct series_data {
  char name[64];
  double *y, *low, *high;
};

static bool fill_series(const struct td_comparison *comparison, const struct td_row *like,
                        struct series_data *data) {
  size_t graphs = comparison->graph_count;
  snprintf(data->name, sizeof data->name, "%s, %u marker%s", like->engine.label, like->markers,
           like->markers == 1 ? "" : "s");
  data->y = calloc(3 * graphs, sizeof *data->y);
  if (!data->y) return false;
  data->low = data->y + graphs;
  data->high = data->low + graphs;
  /* Every graph has the same rows in the same order. */
  size_t index = (size_t)(like - comparison->graphs[0].rows);
  for (size_t g = 0; g < graphs; g++) {
    const struct td_graph_rows *graph = &comparison->graphs[g];
    struct td_summary ns = td_row_ns_per_object(graph, &graph->rows[index]);
    data->y[g] = ns.median;
    data->low[g] = ns.min;
    data->high[g] = ns.max;
  }
  return true;
}

static int draw(const struct td_comparison *comparison, const struct series_data *data,
                size_t series_count, const char *path) {
  struct td_series *series = calloc(series_count, sizeof *series);
  const char **labels = calloc(comparison->graph_count, sizeof *labels);
  int status = TD_EXIT_OK;
  if (!series || !labels) {
    status = td_complain(TD_EXIT_RESOURCES, "not enough memory for the plot");
  } else {
    for (size_t g = 0; g < comparison->graph_count; g++)
      labels[g] = comparison->graphs[g].label;
    for (size_t i = 0; i < series_count; i++)
      series[i] = (struct td_series){.name = data[i].name,
                                     .y = data[i].y,
                                     .low = data[i].low,
                                     .high = data[i].high,
                                     .count = comparison->graph_count};
    const struct td_chart chart = {.title = "Marking, median of interleaved rounds",
                                   .y_label = "ns per live object (log scale)",
                                   .categories = labels,
                                   .category_count = comparison->graph_count,
                                   .series = series,
                                   .series_count = series_count,
                                   .log_y = true};
    status = td_plot_write(&chart, 1, path);
  }
  free(series);
  free(labels);
  return status;
}

int td_compare_plot(const struct td_comparison *comparison, const char *path) {
  if (!path) return TD_EXIT_OK;
  size_t series_count = comparison->graphs[0].row_count;
  struct series_data *data = calloc(series_count, sizeof *data);
  bool filled = data != NULL;
  for (size_t i = 0; filled && i < series_count; i++)
    filled = fill_series(comparison, &comparison->graphs[0].rows[i], &data[i]);
  int status = filled ? draw(comparison, data, series_count, path)
                      : td_complain(TD_EXIT_RESOURCES, "not enough memory for the plot");
  for (size_t i = 0; data && i < series_count; i++)
    free(data[i].y);
  free(data);
  return status;
}
