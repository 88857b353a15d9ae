/* SPDX-License-Identifier: MIT */
#include "bench/gcbench/latencies.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "bench/cli/figures.h"

#define POINTS_PER_DECADE 6.0

static double median(const struct td_gcbench_latencies *latency, enum td_latency_figure figure) {
  return td_samples_summary(&latency->figures[figure]).median;
}

static double longest_us(const struct td_gcbench_latencies *latency) {
  return (double)latency->all.max_ns / 1e3;
}

static double stop_us(const struct td_gcbench_row *row) {
  return td_samples_summary(&row->all.max_ms).max * 1e3;
}

static struct td_summary ratio_to_first(const struct td_gcbench_row *row) {
  return td_samples_ratio(&row->latency->figures[TD_LATENCY_PER_SECOND],
                          &row->first->latency->figures[TD_LATENCY_PER_SECOND]);
}

/* ---- Rounds ---------------------------------------------------------------------------- */

bool td_latencies_keep(struct td_gcbench_latencies *latency,
                       const struct td_gcbench_result *result) {
  const struct td_latency *of = &result->latency;
  uint64_t count = td_latency_count(of);
  double seconds = (double)result->run_ns / 1e9, cpu_seconds = (double)result->cpu_ns / 1e9;
  const double figures[TD_LATENCY_FIGURES] = {
      [TD_LATENCY_PER_SECOND] = (double)result->operations / seconds,
      [TD_LATENCY_P50_US] = (double)td_latency_all_but(of, count / 2) / 1e3,
      [TD_LATENCY_P99_US] = (double)td_latency_all_but(of, count / 100) / 1e3,
      [TD_LATENCY_P999_US] = (double)td_latency_all_but(of, count / 1000) / 1e3,
      [TD_LATENCY_P9999_US] = (double)td_latency_all_but(of, count / 10000) / 1e3,
      [TD_LATENCY_MAX_US] = (double)of->max_ns / 1e3,
      [TD_LATENCY_OWN_US] = (double)of->own_max_ns / 1e3,
      [TD_LATENCY_CPU_SECONDS] = cpu_seconds,
      [TD_LATENCY_CPUS] = cpu_seconds / seconds,
      [TD_LATENCY_DEGENERATE] = (double)result->degenerate,
  };
  td_latency_merge(&latency->all, of);
  latency->operations += result->operations;
  bool kept = true;
  for (size_t i = 0; i < TD_LATENCY_FIGURES && kept; i++)
    kept = td_samples_add(&latency->figures[i], figures[i]);
  return kept;
}

void td_latencies_free(struct td_gcbench_latencies *latency) {
  for (size_t i = 0; latency && i < TD_LATENCY_FIGURES; i++)
    td_samples_free(&latency->figures[i]);
  free(latency);
}

/* ---- The table ------------------------------------------------------------------------- */

static void add_row(struct td_grid *grid, const struct td_gcbench_row *row) {
  const struct td_gcbench_latencies *latency = row->latency;
  td_grid_cell(grid, "%s", row->collector);
  td_grid_cell(grid, "%s", td_gcbench_young(row));
  td_grid_cell(grid, "%u", row->mutators);
  td_grid_cell(grid, "%.1f", median(latency, TD_LATENCY_PER_SECOND) / 1e3);
  td_grid_cell(grid, "%.2f", ratio_to_first(row).median);
  td_grid_cell(grid, "%.2f", median(latency, TD_LATENCY_P50_US));
  td_grid_cell(grid, "%.1f", median(latency, TD_LATENCY_P99_US));
  td_grid_cell(grid, "%.1f", median(latency, TD_LATENCY_P999_US));
  td_grid_cell(grid, "%.1f", median(latency, TD_LATENCY_P9999_US));
  td_grid_cell(grid, "%.0f", longest_us(latency));
  td_grid_cell(grid, latency->all.own_max_ns ? "%.0f" : "-", median(latency, TD_LATENCY_OWN_US));
  td_grid_cell(grid, "%.0f", stop_us(row));
  td_grid_cell(grid, "%.0f", td_samples_summary(&row->collections).median);
  td_grid_cell(grid, "%.0f", td_samples_summary(&row->full).median);
  td_grid_cell(grid, "%.0f", median(latency, TD_LATENCY_DEGENERATE));
  td_grid_cell(grid, "%.2f", median(latency, TD_LATENCY_CPUS));
  td_grid_cell(grid, "%.0f", td_samples_summary(&row->peak_bytes).median / (1 << 20));
}

bool td_latencies_table(const struct td_gcbench_rows *rows, struct td_grid *grid) {
  size_t first = 0;
  while (first < rows->count && !rows->at[first].latency)
    first++;
  if (first == rows->count) return false;
  td_grid_begin(grid, "collector young >mutators >kop/s >ratio >p50_µs >p99_µs >p99.9 >p99.99 "
                      ">longest >own >stop_µs >collections >full >degenerate >CPUs >peak_MiB");
  for (size_t i = first; i < rows->count; i++) {
    if (!rows->at[i].latency) continue;
    if (rows->at[i].first == &rows->at[i] && i > first) td_grid_rule(grid);
    add_row(grid, &rows->at[i]);
  }
  return true;
}

void td_latencies_explain(const struct td_gcbench_rows *rows, FILE *out) {
  fprintf(out, "latency: a map of %.0f MiB, heaps of at most %.0f MiB, %.4g s a run, ",
          (double)rows->live_bytes / (1 << 20), (double)rows->limit_bytes / (1 << 20),
          rows->seconds);
  if (rows->rate)
    fprintf(out, "%" PRIu64 " operations a second wanted.\n", rows->rate);
  else
    fputs("one operation after another.\n", out);
  fputs("ratio: operations a second over those of the first collector; under 1 is slower.\n"
        "p50 to longest: of operations; stop: the collector's longest. Longest: of all rounds.\n"
        "own: the longest without the time for which the host of a virtual machine had taken\n"
        "the CPU away, median of the rounds.\n"
        "degenerate: collections that should have marked beside the program, and stopped it.\n"
        "CPUs: busy at a time, those of the collector with them.\n",
        out);
}

/* ---- JSON ------------------------------------------------------------------------------ */

static void put_histogram(struct td_json *json, const struct td_latency *latency) {
  td_json_array_begin(json, "latency_histogram");
  for (unsigned i = 0; i < TD_LATENCY_BUCKETS; i++) {
    if (!latency->count[i]) continue;
    td_json_object_begin(json, NULL);
    td_json_count(json, "up_to_ns", td_latency_longest(i));
    td_json_count(json, "operations", latency->count[i]);
    td_json_object_end(json);
  }
  td_json_array_end(json);
}

void td_latencies_put(struct td_json *json, const struct td_gcbench_rows *rows,
                      const struct td_gcbench_row *row) {
  const struct td_gcbench_latencies *latency = row->latency;
  td_json_count(json, "live_bytes", rows->live_bytes);
  td_json_count(json, "limit_bytes", rows->limit_bytes);
  td_json_real(json, "seconds", rows->seconds);
  td_json_count(json, "rate", rows->rate);
  td_json_count(json, "operations", latency->operations);
  td_json_real(json, "ops_per_second", median(latency, TD_LATENCY_PER_SECOND));
  td_json_summary(json, "ops_per_second_spread",
                  td_samples_summary(&latency->figures[TD_LATENCY_PER_SECOND]));
  td_json_summary(json, "ops_ratio_to_first", ratio_to_first(row));
  td_json_object_begin(json, "latency_us");
  td_json_real(json, "p50", median(latency, TD_LATENCY_P50_US));
  td_json_real(json, "p99", median(latency, TD_LATENCY_P99_US));
  td_json_real(json, "p999", median(latency, TD_LATENCY_P999_US));
  td_json_real(json, "p9999", median(latency, TD_LATENCY_P9999_US));
  td_json_real(json, "max", longest_us(latency));
  td_json_object_end(json);
  td_json_summary(json, "max_us_spread", td_samples_summary(&latency->figures[TD_LATENCY_MAX_US]));
  if (latency->all.own_max_ns)
    td_json_summary(json, "own_max_us", td_samples_summary(&latency->figures[TD_LATENCY_OWN_US]));
  else
    td_json_null(json, "own_max_us");
  put_histogram(json, &latency->all);
  td_json_object_begin(json, "stop_us");
  td_json_real(json, "p50", td_samples_summary(&row->all.p50_ms).median * 1e3);
  td_json_real(json, "max", stop_us(row));
  td_json_object_end(json);
  td_json_real(json, "cpu_seconds", median(latency, TD_LATENCY_CPU_SECONDS));
  td_json_count(json, "degenerate", (uint64_t)median(latency, TD_LATENCY_DEGENERATE));
}

/* ---- The curve ------------------------------------------------------------------------- */

/* From the median on: the picture is about the tail. Returns how many points. */
static size_t fill_curve(struct td_latency_curve *curve, const struct td_gcbench_latencies *of) {
  double count = (double)td_latency_count(&of->all);
  size_t points = 0;
  double x;
  while ((x = 2 * pow(10, (double)points / POINTS_PER_DECADE)) < count &&
         points + 1 < TD_LATENCY_POINTS) {
    curve->x[points] = x;
    curve->y[points] = (double)td_latency_all_but(&of->all, (uint64_t)(count / x)) / 1e3;
    points++;
  }
  curve->x[points] = count;
  curve->y[points] = longest_us(of);
  return points + 1;
}

static struct td_chart chart_of(const struct td_gcbench_rows *rows, size_t first,
                                struct td_latency_curve *curves, const struct td_series *series) {
  const struct td_gcbench_row *row = &rows->at[first];
  snprintf(curves[first].title, sizeof curves[first].title,
           "Latency of operations, %.0f MiB alive, %u mutator%s, %s",
           (double)rows->live_bytes / (1 << 20), row->mutators, row->mutators == 1 ? "" : "s",
           rows->rate ? "at fixed times" : "one after another");
  return (struct td_chart){.title = curves[first].title,
                           .x_label = "one operation in so many takes longer: 100 is the 99th "
                                      "percentile, 10000 that of 99.99",
                           .y_label = "µs",
                           .series = &series[first],
                           .log_x = true,
                           .log_y = true};
}

size_t td_latencies_draw(const struct td_gcbench_rows *rows, struct td_latency_curve *curves,
                         struct td_series *series, struct td_chart *charts) {
  size_t count = 0;
  for (size_t i = 0; i < rows->count; i++) {
    const struct td_gcbench_row *row = &rows->at[i];
    if (!row->latency) continue;
    if (row->first == row) charts[count++] = chart_of(rows, i, curves, series);
    td_gcbench_name(row, curves[i].name, sizeof curves[i].name);
    series[i] = (struct td_series){curves[i].name, curves[i].x, curves[i].y,
                                   .count = fill_curve(&curves[i], row->latency)};
    charts[count - 1].series_count++;
  }
  return count;
}
