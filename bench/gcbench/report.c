/* SPDX-License-Identifier: MIT */
/* What gcbench tells: the table, the rows as JSON, and pauses as pictures. */
#include "bench/gcbench/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/complain.h"
#include "bench/cli/document.h"
#include "bench/cli/figures.h"
#include "bench/cli/plot.h"
#include "bench/gcbench/latencies.h"

static double median(const struct td_samples *samples) {
  return td_samples_summary(samples).median;
}

static double longest(const struct td_gcbench_lengths *lengths) {
  return td_samples_summary(&lengths->max_ms).max;
}

const char *td_gcbench_young(const struct td_gcbench_row *row) {
  if (!row->has_young) return "-";
  return row->young ? "on" : "off";
}

void td_gcbench_name(const struct td_gcbench_row *row, char *text, size_t bytes) {
  const char *young = !row->has_young ? "" : row->young ? ", young" : ", stopped";
  snprintf(text, bytes, "%s%s", row->collector, young);
}

bool td_gcbench_totals(const struct td_gcbench_rows *rows, struct td_grid *grid) {
  size_t first = 0;
  while (first < rows->count && rows->at[first].latency)
    first++;
  if (first == rows->count) return false;
  td_grid_begin(grid, "workload collector young >mutators >total_ms >ratio >spread >collections "
                      ">full >collect_ms >p50_ms >p99_ms >max_ms >young_p99 >young_max "
                      ">peak_MiB");
  for (size_t i = first; i < rows->count; i++) {
    const struct td_gcbench_row *row = &rows->at[i];
    if (row->latency) continue;
    if (row->first == row && i > first) td_grid_rule(grid);
    struct td_summary ratio = td_samples_ratio(&row->total_ms, &row->first->total_ms);
    td_grid_cell(grid, "%s", row->workload);
    td_grid_cell(grid, "%s", row->collector);
    td_grid_cell(grid, "%s", td_gcbench_young(row));
    td_grid_cell(grid, "%u", row->mutators);
    td_grid_cell(grid, "%.0f", median(&row->total_ms));
    bool open = row->first != row && !td_samples_differ(&row->total_ms, &row->first->total_ms);
    td_grid_cell(grid, "%.2f%s", ratio.median, open ? " ~" : "");
    td_grid_cell(grid, "%.2f–%.2f", ratio.min, ratio.max);
    td_grid_cell(grid, "%.0f", median(&row->collections));
    td_grid_cell(grid, "%.0f", median(&row->full));
    td_grid_cell(grid, "%.1f", median(&row->collect_ms));
    td_grid_cell(grid, "%.2f", median(&row->all.p50_ms));
    td_grid_cell(grid, "%.2f", median(&row->all.p99_ms));
    td_grid_cell(grid, "%.2f", longest(&row->all));
    td_grid_cell(grid, row->young ? "%.2f" : "-", median(&row->young_alone.p99_ms));
    td_grid_cell(grid, row->young ? "%.2f" : "-", longest(&row->young_alone));
    td_grid_cell(grid, "%.0f", median(&row->peak_bytes) / (1 << 20));
  }
  return true;
}

void td_gcbench_explain_totals(FILE *out) {
  fputs(
      "ratio: total time over that of the first collector, run by run, and its range; over 1 is "
      "slower.\n~ behind a ratio: these runs cannot tell the two apart.\nfull: collections of all "
      "objects; the others were of young ones.\np50, p99 and max: of all pauses; young p99 and "
      "young max: of those of young collections alone.\n",
      out);
}

int td_gcbench_print(const struct td_gcbench_rows *rows, FILE *out) {
  struct td_grid grid;
  int status = TD_EXIT_OK;
  if (td_gcbench_totals(rows, &grid)) {
    status = td_grid_print(&grid, out);
    fputc('\n', out);
    td_gcbench_explain_totals(out);
  }
  if (status == TD_EXIT_OK && td_latencies_table(rows, &grid)) {
    status = td_grid_print(&grid, out);
    fputc('\n', out);
    td_latencies_explain(rows, out);
  }
  td_host_print(rows->host, out);
  return status;
}

/* Returns whether a bucket has a pause. */
static bool has_pauses(const struct td_pauses *pauses, unsigned bucket) {
  return pauses->young[bucket] + pauses->full[bucket] > 0;
}

static void put_pauses(struct td_json *json, const struct td_pauses *pauses) {
  td_json_array_begin(json, "pauses");
  for (unsigned i = 0; i < TD_PAUSE_BUCKETS; i++) {
    if (!has_pauses(pauses, i)) continue;
    td_json_object_begin(json, NULL);
    td_json_count(json, "from_us", i ? UINT64_C(1) << i : 0);
    td_json_count(json, "young", pauses->young[i]);
    td_json_count(json, "full", pauses->full[i]);
    td_json_object_end(json);
  }
  td_json_array_end(json);
  td_json_array_begin(json, "longest_stops_us");
  for (unsigned i = 0; i < TD_STOPS && pauses->stop_ns[i]; i++)
    td_json_real(json, NULL, (double)pauses->stop_ns[i] / 1e3);
  td_json_array_end(json);
}

static void put_lengths(struct td_json *json, const char *name,
                        const struct td_gcbench_lengths *lengths) {
  td_json_object_begin(json, name);
  td_json_real(json, "p50", median(&lengths->p50_ms));
  td_json_real(json, "p99", median(&lengths->p99_ms));
  td_json_real(json, "max", longest(lengths));
  td_json_object_end(json);
}

static void put_row(struct td_json *json, const struct td_gcbench_rows *rows,
                    const struct td_gcbench_row *row) {
  td_json_object_begin(json, NULL);
  td_json_string(json, "workload", row->workload);
  td_json_string(json, "collector", row->collector);
  if (row->has_young) td_json_string(json, "young", td_gcbench_young(row));
  td_json_count(json, "mutators", row->mutators);
  td_json_real(json, "total_ms", median(&row->total_ms));
  td_json_real(json, "collect_ms", median(&row->collect_ms));
  put_lengths(json, "pause_ms", &row->all);
  if (row->has_young) put_lengths(json, "young_pause_ms", &row->young_alone);
  put_pauses(json, &row->pauses);
  td_json_count(json, "peak_bytes", (uint64_t)median(&row->peak_bytes));
  td_json_count(json, "collections", (uint64_t)median(&row->collections));
  td_json_count(json, "full_collections", (uint64_t)median(&row->full));
  td_json_count(json, "rounds", rows->rounds);
  td_json_summary(json, "total_ms_spread", td_samples_summary(&row->total_ms));
  if (row->latency) {
    td_latencies_put(json, rows, row);
  } else {
    td_json_summary(json, "ratio_to_first",
                    td_samples_ratio(&row->total_ms, &row->first->total_ms));
    td_json_differs(json, "differs_from_first", &row->total_ms, &row->first->total_ms);
  }
  td_json_object_end(json);
}

int td_gcbench_write_json(const struct td_gcbench_rows *rows, const char *path) {
  if (!path) return TD_EXIT_OK;
  struct td_document document;
  int status = td_document_begin(&document, path, rows->host);
  if (status != TD_EXIT_OK) return status;
  struct td_json *json = &document.json;
  td_json_array_begin(json, "rows");
  for (size_t i = 0; i < rows->count; i++)
    put_row(json, rows, &rows->at[i]);
  td_json_array_end(json);
  return td_document_commit(&document);
}

/* ---- Pauses as pictures ---------------------------------------------------------------- */

/* What a chart points at. */
struct sheet {
  char title[160], young_name[96];
  char labels[TD_PAUSE_BUCKETS][16];
  const char *categories[TD_PAUSE_BUCKETS];
  double young[TD_PAUSE_BUCKETS], full[TD_PAUSE_BUCKETS];
  struct td_series series[2];
};

static void write_label(char label[static 16], unsigned bucket) {
  unsigned from = 1u << bucket;
  if (bucket == 0)
    snprintf(label, 16, "< 2 µs");
  else if (bucket < 10)
    snprintf(label, 16, "%u µs", from);
  else if (bucket < 20)
    snprintf(label, 16, "%u ms", from >> 10);
  else
    snprintf(label, 16, "%u s", from >> 20);
}

/* The buckets that some row has pauses in: [first, end). */
struct range {
  unsigned first, end;
};

static struct range range_of(const struct td_gcbench_rows *rows) {
  struct range range = {TD_PAUSE_BUCKETS, 0};
  for (size_t r = 0; r < rows->count; r++)
    for (unsigned i = 0; i < TD_PAUSE_BUCKETS; i++) {
      if (!has_pauses(&rows->at[r].pauses, i)) continue;
      if (i < range.first) range.first = i;
      if (i >= range.end) range.end = i + 1;
    }
  return range;
}

/* Headings take no blanks. */
static void add_heading(char *headings, size_t bytes, unsigned bucket) {
  char label[16];
  size_t length = strlen(headings);
  write_label(label, bucket);
  for (char *c = label; *c; c++)
    if (*c == ' ') *c = '_';
  snprintf(headings + length, bytes - length, " >%s", label);
}

bool td_gcbench_pauses(const struct td_gcbench_rows *rows, struct td_grid *grid) {
  char headings[64 + TD_PAUSE_BUCKETS * 18] = "workload collector young >mutators";
  struct range range = range_of(rows);
  if (range.end == 0) return false;
  for (unsigned i = range.first; i < range.end; i++)
    add_heading(headings, sizeof headings, i);
  td_grid_begin(grid, headings);
  for (size_t r = 0; r < rows->count; r++) {
    const struct td_gcbench_row *row = &rows->at[r];
    if (row->first == row && r > 0) td_grid_rule(grid);
    td_grid_cell(grid, "%s", row->workload);
    td_grid_cell(grid, "%s", row->collector);
    td_grid_cell(grid, "%s", td_gcbench_young(row));
    td_grid_cell(grid, "%u", row->mutators);
    for (unsigned i = range.first; i < range.end; i++) {
      uint64_t full = row->pauses.full[i], young = row->pauses.young[i];
      if (young)
        td_grid_cell(grid, "%" PRIu64 " + %" PRIu64, full, young);
      else
        td_grid_cell(grid, full ? "%" PRIu64 : "", full);
    }
  }
  return true;
}

/* All charts have the same buckets. The scale is logarithmic and begins below 1, so that a single
 * pause is seen; where there is none, there is no bar. */
static struct td_chart fill_sheet(struct sheet *sheet, const struct td_gcbench_row *row,
                                  struct range range) {
  size_t count = range.end - range.first;
  for (unsigned at = 0; at < count; at++) {
    uint64_t young = row->pauses.young[range.first + at], full = row->pauses.full[range.first + at];
    write_label(sheet->labels[at], range.first + at);
    sheet->categories[at] = sheet->labels[at];
    sheet->young[at] = young ? (double)young : NAN;
    sheet->full[at] = full ? (double)full : NAN;
  }
  snprintf(sheet->title, sizeof sheet->title, "Pauses of %s on %s, %u mutator%s%s", row->workload,
           row->collector, row->mutators, row->mutators == 1 ? "" : "s",
           row->has_young && !row->young ? ", young collections off" : "");
  sheet->series[0] = (struct td_series){"full collections", .y = sheet->full, .count = count};
  snprintf(sheet->young_name, sizeof sheet->young_name,
           "young collections: p99 %.2f ms, longest %.2f ms", median(&row->young_alone.p99_ms),
           longest(&row->young_alone));
  sheet->series[1] = (struct td_series){sheet->young_name, .y = sheet->young, .count = count};
  return (struct td_chart){.title = sheet->title,
                           .x_label = "as long as this, and less than twice as long",
                           .y_label = "pauses in all rounds",
                           .categories = sheet->categories,
                           .category_count = count,
                           .series = sheet->series,
                           .series_count = row->young ? 2 : 1,
                           .log_y = true,
                           .log_y_from = 0.5};
}

static bool has_any(const struct td_gcbench_row *row) {
  for (unsigned i = 0; i < TD_PAUSE_BUCKETS; i++)
    if (has_pauses(&row->pauses, i)) return true;
  return false;
}

int td_gcbench_plot(const struct td_gcbench_rows *rows, const char *path) {
  if (!path) return TD_EXIT_OK;
  struct sheet *sheets = calloc(rows->count, sizeof *sheets);
  struct td_latency_curve *curves = calloc(rows->count, sizeof *curves);
  struct td_series *series = calloc(rows->count, sizeof *series);
  struct td_chart *charts = calloc(2 * rows->count, sizeof *charts);
  int status;
  if (!sheets || !curves || !series || !charts) {
    status = td_complain(TD_EXIT_RESOURCES, "not enough memory for the plot");
  } else {
    size_t count = td_latencies_draw(rows, curves, series, charts);
    for (size_t i = 0; i < rows->count; i++)
      if (has_any(&rows->at[i])) {
        charts[count] = fill_sheet(&sheets[i], &rows->at[i], range_of(rows));
        count++;
      }
    status = count ? td_plot_write(charts, count, path)
                   : td_complain(TD_EXIT_CHECK, "gcbench: nothing was collected, so there are no "
                                                "pauses to draw");
  }
  free(sheets);
  free(curves);
  free(series);
  free(charts);
  return status;
}
