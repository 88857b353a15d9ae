/* SPDX-License-Identifier: MIT */
/* The rows of gcbench as a page. */
#include <stdlib.h>

#include "bench/cli/complain.h"
#include "bench/cli/output.h"
#include "bench/cli/plot.h"
#include "bench/gcbench/choice.h"
#include "bench/gcbench/latencies.h"
#include "bench/gcbench/report.h"
#include "bench/report/frame.h"
#include "bench/report/html.h"
#include "bench/report/svg.h"

/* What the parts of a page share: [rows->count] of each. */
struct parts {
  struct td_latency_curve *curves;
  struct td_series *series;
  struct td_chart *charts; /* of latency, in the order of their groups */
  struct td_bar *bars;
};

static void put_method(FILE *out, const struct td_gcbench_rows *rows) {
  fprintf(out,
          "<h2>What was compared</h2>\n<p>Programs that mostly allocate, compiled once for each "
          "collector, or allocator whose memory is freed by hand. Each run was a process of its "
          "own; there were %u round%s, and every second one ran backwards. Ratios are taken within "
          "each round. A pause is the time for which the program stands still.</p>\n<dl>\n",
          (unsigned)rows->rounds, td_plural(rows->rounds));
  for (size_t i = 0; i < rows->count && rows->at[i].first == &rows->at[0]; i++) {
    const char *name = rows->at[i].collector;
    if (i > 0 && name == rows->at[i - 1].collector) continue; /* with and without young ones */
    fputs("<dt>", out);
    td_html_text(out, name);
    fputs("</dt><dd>", out);
    td_html_text(out, td_gcbench_find_collector(name)->text);
    fputs("</dd>\n", out);
  }
  fputs("</dl>\n", out);
}

static void put_curves(FILE *out, const struct td_chart *chart) {
  fputs("<h4>How long an operation takes at most, by percentile (both axes logarithmic)</h4>\n"
        "<p class=\"key small\">",
        out);
  for (size_t i = 0; i < chart->series_count; i++) {
    fputs("<span>", out);
    td_svg_mark(out, i);
    td_html_text(out, chart->series[i].name);
    fputs("</span>", out);
  }
  fputs("</p>\n", out);
  td_svg_latency(out, chart->title, chart->series, chart->series_count);
  fputs(
      "<p class=\"small\">Of all rounds; the last mark of a curve is the longest operation.</p>\n",
      out);
}

static struct td_summary figure_of(const struct td_gcbench_row *row) {
  return row->latency ? td_summary_over(
                            td_samples_summary(&row->latency->figures[TD_LATENCY_PER_SECOND]), 1e3)
                      : td_samples_summary(&row->total_ms);
}

static void put_bars(FILE *out, const struct td_gcbench_row *first, size_t count,
                     struct td_bar *bars) {
  for (size_t i = 0; i < count; i++) {
    const struct td_gcbench_row *row = &first[i];
    struct td_summary figure = figure_of(row);
    bars[i] = (struct td_bar){
        .colour = td_svg_colour(i), .value = figure.median, .low = figure.low, .high = figure.high};
    td_gcbench_name(row, bars[i].label, sizeof bars[i].label);
  }
  const char *what = first->latency ? "Thousands of operations a second" : "Total time, ms";
  fprintf(out, "<h4>%s: median (quartiles of the rounds)</h4>\n", what);
  td_svg_bars(out, what, bars, count);
}

/* A group is a workload with a number of mutators, on each collector. */
static void put_groups(FILE *out, const struct td_gcbench_rows *rows, const struct parts *parts) {
  size_t charts = 0;
  fputs("<h2>Workload by workload</h2>\n", out);
  for (size_t i = 0, end; i < rows->count; i = end) {
    const struct td_gcbench_row *first = &rows->at[i];
    for (end = i; end < rows->count && rows->at[end].first == first;)
      end++;
    fprintf(out, "<h3>%s, %u mutator%s</h3>\n<p>", first->workload, first->mutators,
            td_plural(first->mutators));
    td_html_text(out, td_gcbench_find_workload(first->workload)->text);
    fputs("</p>\n", out);
    if (first->latency) put_curves(out, &parts->charts[charts++]);
    put_bars(out, first, end - i, parts->bars);
  }
}

/* Returns false if there is no memory. */
static bool put_tables(FILE *out, const struct td_gcbench_rows *rows) {
  bool whole = true;
  struct td_grid grid;
  fputs("<h2>All figures</h2>\n", out);
  if (td_latencies_table(rows, &grid)) {
    whole = td_html_table(out, &grid);
    fputs("<p class=\"small\">", out);
    td_latencies_explain(rows, out);
    fputs("</p>\n", out);
  }
  if (whole && td_gcbench_totals(rows, &grid)) {
    whole = td_html_table(out, &grid);
    fputs("<p class=\"small\">", out);
    td_gcbench_explain_totals(out);
    fputs("</p>\n", out);
  }
  if (whole && td_gcbench_pauses(rows, &grid)) {
    fputs("<h2>Pauses</h2>\n", out);
    whole = td_html_table(out, &grid);
    fputs("<p class=\"small\">How many pauses of all rounds were as long as this, and less than "
          "twice "
          "as long: those of full collections, + those of young ones.</p>\n",
          out);
  }
  return whole;
}

static bool put_page(FILE *out, const struct td_gcbench_rows *rows, const struct parts *parts) {
  td_frame_begin(out, "Collectors compared", rows->host);
  fprintf(out, ", %zu row%s</p>\n", rows->count, td_plural(rows->count));
  td_frame_noise(out, rows->host);
  td_latencies_draw(rows, parts->curves, parts->series, parts->charts);
  put_method(out, rows);
  put_groups(out, rows, parts);
  bool whole = put_tables(out, rows);
  td_frame_end(out, rows->host);
  return whole;
}

int td_gcbench_write_page(const struct td_gcbench_rows *rows, const char *path) {
  if (!path) return TD_EXIT_OK;
  struct td_output output;
  int status = td_output_open(&output, path);
  if (status != TD_EXIT_OK) return status;
  struct parts parts = {.curves = calloc(rows->count, sizeof *parts.curves),
                        .series = calloc(rows->count, sizeof *parts.series),
                        .charts = calloc(rows->count, sizeof *parts.charts),
                        .bars = calloc(rows->count, sizeof *parts.bars)};
  bool whole = parts.curves && parts.series && parts.charts && parts.bars &&
               put_page(output.file, rows, &parts);
  free(parts.curves);
  free(parts.series);
  free(parts.charts);
  free(parts.bars);
  if (whole) return td_output_commit(&output);
  td_output_discard(&output);
  return td_complain(TD_EXIT_RESOURCES, "not enough memory for the report '%s'", path);
}
