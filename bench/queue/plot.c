/* SPDX-License-Identifier: MIT */
/* The charts of `tidemark queue`, in the form of those in the BWoS paper (Wang et al., OSDI 2023):
 * queues whose owner gets the newest item (Fig. 10) and the oldest (Fig. 11) apart. */
#include "bench/queue/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/complain.h"
#include "bench/cli/plot.h"
#include "bench/queue/rivals.h"

#define SERIES_MAX TD_LIST_MAX
#define CHARTS_MAX 16u
#define TITLE_MAX 96u

enum order { ANY, LIFO, FIFO };
static const char *const order_titles[] = {"", "LIFO (Fig. 10): ", "FIFO (Fig. 11): "};

/* A chart being filled. The points of all its series lie in two arrays. */
struct sheet {
  struct td_series series[SERIES_MAX];
  double *x, *y;
  size_t points;
};

struct plot {
  const struct td_queue_bench *bench;
  struct td_chart charts[CHARTS_MAX];
  struct sheet sheets[CHARTS_MAX];
  const char *categories[TD_LIST_MAX];
  char labels[TD_LIST_MAX][TITLE_MAX]; /* of categories */
  char titles[CHARTS_MAX][TITLE_MAX];
  char names[CHARTS_MAX][SERIES_MAX][TITLE_MAX];
  size_t count;
  bool failed;
};

/* Returns the sheet of a new chart, with room for every cell of the bench, or NULL without memory.
 */
static struct sheet *new_sheet(struct plot *plot) {
  if (plot->count == CHARTS_MAX) return NULL;
  struct sheet *sheet = &plot->sheets[plot->count];
  sheet->x = calloc(2 * plot->bench->cell_count + 1, sizeof *sheet->x);
  if (!sheet->x) {
    plot->failed = true;
    return NULL;
  }
  sheet->y = sheet->x + plot->bench->cell_count;
  plot->charts[plot->count++].series = sheet->series;
  return sheet;
}

/* Adds a series to the chart. Points that are added afterwards belong to it. */
static void add_series(struct plot *plot, struct sheet *sheet, const char *name) {
  struct td_chart *chart = &plot->charts[plot->count - 1];
  if (chart->series_count == SERIES_MAX) return;
  sheet->series[chart->series_count++] = (struct td_series){
      .name = name, .x = sheet->x + sheet->points, .y = sheet->y + sheet->points};
}

static void add_point(struct plot *plot, struct sheet *sheet, double x, double y) {
  struct td_chart *chart = &plot->charts[plot->count - 1];
  sheet->x[sheet->points] = x;
  sheet->y[sheet->points++] = y;
  sheet->series[chart->series_count - 1].count++;
}

static bool is_of(enum order order, const struct td_queue_kind *kind) {
  return order == ANY || kind == td_queue_kind_ceiling() ||
         td_queue_is_lifo(kind) == (order == LIFO);
}

static const char *title_of(struct plot *plot, enum order order, const char *text) {
  char *title = plot->titles[plot->count - 1];
  snprintf(title, TITLE_MAX, "%s%s", order_titles[order], text);
  return title;
}

/* Gives up a chart to which nothing belongs. */
static void drop_if_empty(struct plot *plot, struct sheet *sheet) {
  if (plot->charts[plot->count - 1].series_count > 0) return;
  free(sheet->x);
  plot->count--;
}

static double ratio_of(const struct plot *plot, const struct td_queue_cell *cell) {
  return td_queue_ratio(plot->bench, cell, cell->base).median;
}

/* ---- single ---------------------------------------------------------------------------- */

static const struct td_queue_cell *find_single(const struct td_queue_bench *bench,
                                               const char *pattern,
                                               const struct td_queue_kind *kind,
                                               enum td_queue_cursor cursor) {
  for (size_t i = 0; i < bench->cell_count; i++) {
    const struct td_queue_cell *cell = &bench->cells[i];
    if (strcmp(cell->pattern, pattern) == 0 && cell->kind == kind && cell->cursor == cursor)
      return cell;
  }
  return NULL;
}

static void chart_single(struct plot *plot, enum td_queue_cursor cursor, enum order order,
                         const char *title) {
  const struct td_queue_bench *bench = plot->bench;
  struct sheet *sheet = new_sheet(plot);
  if (!sheet) return;
  struct td_chart *chart = &plot->charts[plot->count - 1];
  chart->title = title_of(plot, order, title);
  chart->y_label = "throughput, serial in memory = 1";
  chart->categories = bench->patterns;
  chart->category_count = bench->pattern_count;
  for (size_t k = 0; td_queue_kind_at(k); k++) {
    const struct td_queue_kind *kind = td_queue_kind_at(k);
    if (!is_of(order, kind) || !find_single(bench, bench->patterns[0], kind, cursor)) continue;
    add_series(plot, sheet, kind->name);
    for (size_t p = 0; p < bench->pattern_count; p++) {
      const struct td_queue_cell *cell = find_single(bench, bench->patterns[p], kind, cursor);
      add_point(plot, sheet, (double)p, cell ? ratio_of(plot, cell) : (double)NAN);
    }
  }
}

/* ---- Lines: stolen, pool, interference ------------------------------------------------- */

static double x_of(const struct td_queue_bench *bench, const struct td_queue_cell *cell) {
  switch (bench->experiment) {
  case TD_QUEUE_STOLEN:
    return td_samples_summary(&cell->stolen).median;
  case TD_QUEUE_POOL:
    return cell->balance;
  default:
    return td_samples_summary(&cell->events).median / 1e6;
  }
}

/* What a chart of lines is about. */
struct lines {
  const char *title, *x_label, *pattern;
  enum td_queue_cursor cursor;
  const struct td_policy_kind *policy; /* NULL: any */
};

static bool is_on(const struct lines *lines, enum order order, const struct td_queue_cell *cell) {
  return cell->threads > 1 && strcmp(cell->pattern, lines->pattern) == 0 &&
         cell->cursor == lines->cursor && is_of(order, cell->kind) &&
         (!lines->policy || cell->policy == lines->policy);
}

/* Returns the name of the line that begins with this cell. */
static const char *line_name(struct plot *plot, const struct td_queue_cell *cell) {
  size_t chart = plot->count - 1, line = plot->charts[chart].series_count;
  if (plot->bench->batch_count < 2 || !cell->batch || line == SERIES_MAX) return cell->kind->name;
  snprintf(plot->names[chart][line], TITLE_MAX, "%s, batches of %u", cell->kind->name, cell->batch);
  return plot->names[chart][line];
}

/* Draws one line per queue and batch. */
static void chart_lines(struct plot *plot, const struct lines *lines, enum order order) {
  const struct td_queue_bench *bench = plot->bench;
  struct sheet *sheet = new_sheet(plot);
  if (!sheet) return;
  struct td_chart *chart = &plot->charts[plot->count - 1];
  chart->title = title_of(plot, order, lines->title);
  chart->x_label = lines->x_label;
  chart->y_label = "throughput, serial in memory = 1";
  const struct td_queue_cell *last = NULL;
  for (size_t i = 0; i < bench->cell_count; i++) {
    const struct td_queue_cell *cell = &bench->cells[i];
    if (!is_on(lines, order, cell)) continue;
    if (!last || cell->kind != last->kind || cell->batch != last->batch)
      add_series(plot, sheet, line_name(plot, cell));
    last = cell;
    add_point(plot, sheet, x_of(bench, cell), ratio_of(plot, cell));
  }
  drop_if_empty(plot, sheet);
}

/* Draws the patterns on cache lines, with one thread alone and with a second one. */
static void chart_cache_lines(struct plot *plot) {
  const struct td_queue_bench *bench = plot->bench;
  struct sheet *sheet = new_sheet(plot);
  if (!sheet) return;
  struct td_chart *chart = &plot->charts[plot->count - 1];
  chart->title = "One thread on cache lines, alone and with a second (Fig. 2e, 2f)";
  chart->y_label = "million operations per second";
  chart->categories = plot->categories;
  for (unsigned threads = 1; threads <= 2; threads++) {
    add_series(plot, sheet, threads == 1 ? "alone" : "with a second thread");
    for (size_t i = 0; i < bench->cell_count; i++) {
      const struct td_queue_cell *cell = &bench->cells[i];
      if (cell->kind || cell->threads != threads) continue;
      size_t category = sheet->series[chart->series_count - 1].count;
      plot->categories[category] = cell->pattern;
      chart->category_count = category + 1;
      add_point(plot, sheet, (double)category, td_samples_summary(&cell->mops).median);
    }
  }
  if (chart->category_count == 0) {
    free(sheet->x);
    plot->count--;
  }
}

static void chart_interference(struct plot *plot) {
  static const char steals[] = "steals", sizes[] = "sizes";
  bool has_steals = false, has_sizes = false;
  for (size_t i = 0; i < plot->bench->cell_count; i++) {
    const struct td_queue_cell *cell = &plot->bench->cells[i];
    has_steals |= cell->threads > 1 && strcmp(cell->pattern, steals) == 0;
    has_sizes |= cell->threads > 1 && strcmp(cell->pattern, sizes) == 0;
  }
  if (has_steals)
    chart_lines(plot,
                &(struct lines){"The owner's throughput under steals (Fig. 2b)",
                                "million attempts to steal per second", steals, TD_CURSOR_LOCAL,
                                NULL},
                ANY);
  if (has_sizes)
    chart_lines(plot,
                &(struct lines){"The owner's throughput under size queries (Fig. 2c)",
                                "million queries per second", sizes, TD_CURSOR_LOCAL, NULL},
                ANY);
  chart_cache_lines(plot);
}

/* ---- forkjoin -------------------------------------------------------------------------- */

static const struct td_queue_cell *find_forkjoin(const struct td_queue_bench *bench,
                                                 const struct td_queue_kind *kind, unsigned threads,
                                                 double task_ns) {
  for (size_t i = 0; i < bench->cell_count; i++) {
    const struct td_queue_cell *cell = &bench->cells[i];
    if (cell->kind == kind && cell->threads == threads && cell->task_ns == task_ns) return cell;
  }
  return NULL;
}

static void chart_forkjoin(struct plot *plot, unsigned threads) {
  const struct td_queue_bench *bench = plot->bench;
  struct sheet *sheet = new_sheet(plot);
  if (!sheet) return;
  struct td_chart *chart = &plot->charts[plot->count - 1];
  char *title = plot->titles[plot->count - 1];
  snprintf(title, TITLE_MAX, "Fork-join, %u thread%s", threads, threads == 1 ? "" : "s");
  chart->title = title;
  chart->y_label = "ns per task (log scale)";
  chart->log_y = true;
  chart->categories = plot->categories;
  chart->category_count = bench->task_count;
  for (size_t t = 0; t < bench->task_count; t++) {
    snprintf(plot->labels[t], sizeof plot->labels[t], "tasks of %g ns", bench->tasks[t]);
    plot->categories[t] = plot->labels[t];
  }
  for (size_t k = 0; k < bench->kind_count; k++) {
    const struct td_queue_kind *kind = bench->kinds[k];
    if (!find_forkjoin(bench, kind, threads, bench->tasks[0])) continue;
    add_series(plot, sheet, kind->name);
    for (size_t t = 0; t < bench->task_count; t++) {
      const struct td_queue_cell *cell = find_forkjoin(bench, kind, threads, bench->tasks[t]);
      add_point(plot, sheet, (double)t, 1e3 / td_samples_summary(&cell->mops).median);
    }
  }
  drop_if_empty(plot, sheet);
}

/* ---- The file -------------------------------------------------------------------------- */

static void fill_order(struct plot *plot, enum order order) {
  const struct td_queue_bench *bench = plot->bench;
  static const char in_memory[] = "the owner's cursor in memory",
                    local[] = "the owner's cursor in a local", stolen[] = "% stolen, as measured",
                    pattern[] = "fill-drain";
  if (bench->experiment == TD_QUEUE_SINGLE) {
    chart_single(plot, TD_CURSOR_IN_MEMORY, order, in_memory);
    chart_single(plot, TD_CURSOR_LOCAL, order, local);
  } else if (bench->experiment == TD_QUEUE_STOLEN) {
    chart_lines(plot, &(struct lines){in_memory, stolen, pattern, TD_CURSOR_IN_MEMORY, NULL},
                order);
    chart_lines(plot, &(struct lines){local, stolen, pattern, TD_CURSOR_LOCAL, NULL}, order);
  } else {
    for (size_t p = 0; p < bench->policy_count; p++)
      chart_lines(plot,
                  &(struct lines){bench->policies[p]->name, "balance, %", pattern, TD_CURSOR_LOCAL,
                                  bench->policies[p]},
                  order);
  }
}

static void fill(struct plot *plot) {
  if (plot->bench->experiment == TD_QUEUE_FORKJOIN) {
    for (unsigned threads = 1; threads < plot->bench->threads; threads *= 2)
      chart_forkjoin(plot, threads);
    chart_forkjoin(plot, plot->bench->threads);
    return;
  }
  if (plot->bench->experiment == TD_QUEUE_INTERFERENCE) {
    chart_interference(plot);
    return;
  }
  fill_order(plot, LIFO);
  fill_order(plot, FIFO);
}

int td_queue_plot(const struct td_queue_bench *bench, const char *path) {
  if (!path) return TD_EXIT_OK;
  struct plot *plot = calloc(1, sizeof *plot);
  if (!plot) return td_complain(TD_EXIT_RESOURCES, "queue: not enough memory for the plot");
  plot->bench = bench;
  fill(plot);
  int status = plot->failed
                   ? td_complain(TD_EXIT_RESOURCES, "queue: not enough memory for the plot")
                   : td_plot_write(plot->charts, plot->count, path);
  for (size_t i = 0; i < plot->count; i++)
    free(plot->sheets[i].x);
  free(plot);
  return status;
}
