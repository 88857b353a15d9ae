#include "bench/compare/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/grid.h"
#include "bench/cli/output.h"

static const char *checked_text(enum td_checked checked) {
  switch (checked) {
  case TD_CHECKED_EQUAL:
    return "equal";
  case TD_CHECKED_DIFFERENT:
    return "DIFFERENT";
  case TD_NOT_CHECKED:
    break;
  }
  return "-";
}

static void table_row(struct td_grid *grid, const struct td_graph_rows *graph,
                      const struct td_row *row, bool first, bool limit) {
  struct td_summary ns = td_row_ns_per_object(graph, row);
  struct td_summary ratio = td_row_ratio(row);
  td_grid_cell(grid, "%s", first ? graph->label : "");
  td_grid_cell(grid, "%s", row->engine.name);
  td_grid_cell(grid, "%u", row->markers);
  td_grid_cell(grid, "%.2f", ns.median * (double)graph->objects / 1e6);
  td_grid_cell(grid, "%.2f", ns.median);
  td_grid_cell(grid, "%.2f", ns.min);
  td_grid_cell(grid, "%.2f", ns.max);
  if (ratio.count)
    td_grid_cell(grid, "%.2f (%.2f-%.2f)", ratio.median, ratio.min, ratio.max);
  else
    td_grid_cell(grid, "-");
  if (limit) td_grid_cell(grid, "%.2f", td_row_to_oracle(graph, row).median);
  if (row->cycle)
    td_grid_cell(grid, "%.0f", td_samples_summary(&row->steals).median);
  else
    td_grid_cell(grid, "-");
  td_grid_cell(grid, "%s", checked_text(row->checked));
}

void td_compare_print(const struct td_comparison *comparison, FILE *out) {
  struct td_grid grid;
  td_grid_begin(&grid, comparison->limit ? "graph engine >markers >mark_ms >ns/object >min >max "
                                           ">ratio_(spread) >to_oracle >steals >check"
                                         : "graph engine >markers >mark_ms >ns/object >min >max "
                                           ">ratio_(spread) >steals >check");
  for (size_t g = 0; g < comparison->graph_count; g++) {
    const struct td_graph_rows *graph = &comparison->graphs[g];
    td_grid_rule(&grid);
    for (size_t i = 0; i < graph->row_count; i++)
      table_row(&grid, graph, &graph->rows[i], i == 0, comparison->limit);
  }
  td_grid_print(&grid, out);
  td_grid_free(&grid);
  fprintf(out,
          "\nMedians of %u interleaved round(s). ratio: mark time over that of %s with as many "
          "markers,\ntaken round by round; over 1 is slower.\n",
          comparison->rounds, comparison->engines[0].name);
  if (comparison->limit)
    fputs("to oracle: mark time over that of touching the same memory with all of it known\n"
          "beforehand, in the better of two orders, with as many threads; 1 is the limit.\n",
          out);
  td_host_print(&comparison->host, out);
}

static void json_summary(struct td_json *json, const char *key, struct td_summary summary) {
  td_json_object_begin(json, key);
  td_json_real(json, "median", summary.median);
  td_json_real(json, "min", summary.min);
  td_json_real(json, "max", summary.max);
  td_json_object_end(json);
}

/* null where the engine has no such thing. */
static void json_median(struct td_json *json, const char *key, const struct td_row *row,
                        const struct td_samples *samples) {
  if (row->cycle)
    td_json_real(json, key, td_samples_summary(samples).median);
  else
    td_json_null(json, key);
}

static void json_marker(struct td_json *json, const struct tide_marker_stats *m, unsigned number) {
  td_json_object_begin(json, NULL);
  td_json_count(json, "marker", number);
  td_json_count(json, "objects", m->objects);
  td_json_count(json, "steals", m->steals);
  td_json_count(json, "stolen_items", m->stolen_items);
  td_json_count(json, "failed_steals", m->failed_steals);
  td_json_count(json, "grants", m->grants);
  td_json_count(json, "parks", m->parks);
  td_json_count(json, "wakes", m->wakes);
  td_json_count(json, "overflows", m->overflows);
  td_json_count(json, "dense_objects", m->dense_objects);
  td_json_count(json, "dense_turns", m->dense_turns);
  td_json_real(json, "window_mean",
               m->window_samples ? (double)m->window_sum / (double)m->window_samples : 0.0);
  td_json_count(json, "roots_ns", m->roots_ns);
  td_json_count(json, "trace_ns", m->trace_ns);
  td_json_count(json, "dense_ns", m->dense_ns);
  td_json_count(json, "idle_ns", m->idle_ns);
  td_json_count(json, "started_ns", m->started_ns);
  td_json_count(json, "ended_ns", m->ended_ns);
  td_json_object_end(json);
}

static void json_cycle(struct td_json *json, const char *key,
                       const struct tide_cycle_stats *cycle) {
  td_json_object_begin(json, key);
  td_json_count(json, "markers", cycle->markers);
  td_json_count(json, "recruited", cycle->recruited);
  td_json_count(json, "stop_ns", cycle->stop_ns);
  td_json_count(json, "mark_ns", cycle->mark_ns);
  td_json_count(json, "weak_ns", cycle->weak_ns);
  td_json_count(json, "sweep_ns", cycle->sweep_ns);
  td_json_count(json, "pause_ns", cycle->pause_ns);
  td_json_array_begin(json, "marker");
  for (unsigned i = 0; i < cycle->markers; i++)
    json_marker(json, &cycle->marker[i], i);
  td_json_array_end(json);
  td_json_object_end(json);
}

static void json_row(struct td_json *json, const struct td_graph_rows *graph,
                     const struct td_row *row, bool details) {
  struct td_summary ratio = td_row_ratio(row);
  td_json_object_begin(json, NULL);
  td_json_text(json, "graph", graph->spec->text);
  td_json_text(json, "engine", row->engine.name);
  td_json_count(json, "markers", row->markers);
  td_json_count(json, "rounds", row->mark_ns.count);
  td_json_count(json, "objects", row->objects);
  td_json_count(json, "edges", graph->edges);
  td_json_count(json, "live_bytes", row->bytes);
  json_summary(json, "mark_ns_per_object", td_row_ns_per_object(graph, row));
  json_summary(json, "mark_ns", td_samples_summary(&row->mark_ns));
  td_json_real(json, "ratio_to_first", ratio.median);
  json_summary(json, "ratio_to_first_spread", ratio);
  td_json_real(json, "oracle_ns_per_object", td_row_oracle(graph, row).median);
  td_json_real(json, "ratio_to_oracle", td_row_to_oracle(graph, row).median);
  json_median(json, "steals", row, &row->steals);
  json_median(json, "duplicates", row, &row->duplicates);
  if (row->cycle)
    td_json_count(json, "recruited", row->cycle->recruited);
  else
    td_json_null(json, "recruited");
  if (row->checked == TD_NOT_CHECKED)
    td_json_null(json, "checked");
  else
    td_json_bool(json, "checked", row->checked == TD_CHECKED_EQUAL);
  if (details && row->cycle) json_cycle(json, "fastest_round", row->cycle);
  td_json_object_end(json);
}

void td_compare_json(const struct td_comparison *comparison, FILE *out) {
  struct td_json json;
  td_json_begin(&json, out);
  td_json_object_begin(&json, NULL);
  td_json_text(&json, "version", comparison->host.version);
  td_host_json(&comparison->host, &json, "host");
  td_json_array_begin(&json, "rows");
  for (size_t g = 0; g < comparison->graph_count; g++)
    for (size_t i = 0; i < comparison->graphs[g].row_count; i++)
      json_row(&json, &comparison->graphs[g], &comparison->graphs[g].rows[i], comparison->details);
  td_json_array_end(&json);
  td_json_object_end(&json);
  td_json_end(&json);
}

int td_compare_write(const struct td_comparison *comparison, const char *path,
                     void (*write)(const struct td_comparison *, FILE *)) {
  if (!path) return TD_EXIT_OK;
  struct td_output output;
  int status = td_output_open(&output, path);
  if (status != TD_EXIT_OK) return status;
  write(comparison, output.file);
  return td_output_commit(&output);
}

/* ---- The chart ------------------------------------------------------------------------- */

/* One series per engine and marker count; a graph without such a row has a gap. */
struct series_data {
  char name[64];
  double *y, *low, *high;
};

static bool fill_series(const struct td_comparison *comparison, const struct td_row *like,
                        struct series_data *data) {
  size_t graphs = comparison->graph_count;
  snprintf(data->name, sizeof data->name, "%s, %u marker%s", like->engine.name, like->markers,
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
    status = td_complain(TD_EXIT_RESOURCES, "no memory for the plot");
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
  size_t series_count = comparison->graphs[0].row_count;
  struct series_data *data = calloc(series_count, sizeof *data);
  bool filled = data != NULL;
  for (size_t i = 0; filled && i < series_count; i++)
    filled = fill_series(comparison, &comparison->graphs[0].rows[i], &data[i]);
  int status = filled ? draw(comparison, data, series_count, path)
                      : td_complain(TD_EXIT_RESOURCES, "no memory for the plot");
  for (size_t i = 0; data && i < series_count; i++)
    free(data[i].y);
  free(data);
  return status;
}
