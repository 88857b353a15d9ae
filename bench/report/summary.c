/* SPDX-License-Identifier: MIT */
#include "bench/report/summary.h"

#include <math.h>
#include <stdlib.h>

#include "bench/report/frame.h"
#include "bench/report/html.h"
#include "bench/report/svg.h"

/* ---- A table of engines ---------------------------------------------------------------- */

/* A figure of one graph, to be summarised over all of them; NAN: the graph has none. */
typedef double graph_figure(const struct td_graph_rows *graph, const char *engine,
                            unsigned markers);

/* How much longer than the first engine did this one take? */
static double cost_of(const struct td_graph_rows *graph, const char *engine, unsigned markers) {
  const struct td_row *row = td_graph_row(graph, engine, markers);
  return row ? td_row_ratio(row).median : (double)NAN;
}

/* How much faster is it with several markers than with one? */
static double speed_up_of(const struct td_graph_rows *graph, const char *engine, unsigned markers) {
  const struct td_row *one = td_graph_row(graph, engine, 1);
  const struct td_row *many = td_graph_row(graph, engine, markers);
  return one && many ? td_samples_ratio(&one->mark_ns, &many->mark_ns).median : (double)NAN;
}

static bool is_unsure(const struct td_row *row) {
  return row && td_row_is_compared(row) && !td_row_is_known(row);
}

/* Is the ratio of this engine not known on one of the graphs? */
static bool any_unsure(const struct td_page *page, const char *engine, unsigned markers) {
  for (size_t g = 0; g < page->comparison->graph_count; g++)
    if (is_unsure(td_graph_row(&page->comparison->graphs[g], engine, markers))) return true;
  return false;
}

/* A cell with the smallest and the largest over the graphs, and the median. */
static void put_range(struct td_page *page, graph_figure *figure, const char *engine,
                      unsigned markers) {
  struct td_samples figures = {0};
  const char *unsure = figure == cost_of && any_unsure(page, engine, markers) ? " ?" : "";
  for (size_t g = 0; g < page->comparison->graph_count; g++)
    if (!td_samples_add(&figures, figure(&page->comparison->graphs[g], engine, markers)))
      page->failed = true;
  struct td_summary all = td_samples_summary(&figures);
  if (all.count && all.max - all.min < 0.005) /* two figures that read alike */
    fprintf(page->out, "<td>%.2f%s</td>", all.median, unsure);
  else if (all.count)
    fprintf(page->out, "<td>%.2f–%.2f (%.2f)%s</td>", all.min, all.max, all.median, unsure);
  else
    fputs("<td>–</td>", page->out);
  td_samples_free(&figures);
}

static void put_headings(struct td_page *page, unsigned most) {
  const struct td_comparison *comparison = page->comparison;
  fputs("<div class=\"wide\"><table>\n<tr><th></th>", page->out);
  for (size_t m = 0; m < comparison->marker_count; m++) {
    fprintf(page->out, "<th>mark time, %u marker%s,<br>", comparison->markers[m],
            td_plural(comparison->markers[m]));
    td_html_text(page->out, comparison->engines[0].label);
    fputs(" = 1</th>", page->out);
  }
  if (most > 1) fprintf(page->out, "<th>speed-up<br>from 1 to %u markers</th>", most);
  fputs("</tr>\n", page->out);
}

static void put_engine(struct td_page *page, size_t index, unsigned most) {
  const struct td_comparison *comparison = page->comparison;
  const char *engine = comparison->engines[index].label;
  fputs("<tr><td>", page->out);
  td_svg_mark(page->out, index);
  fputs("<strong>", page->out);
  td_html_text(page->out, engine);
  fputs("</strong></td>", page->out);
  for (size_t m = 0; m < comparison->marker_count; m++) {
    if (index == 0)
      fputs("<td>1</td>", page->out);
    else
      put_range(page, cost_of, engine, comparison->markers[m]);
  }
  if (most > 1) put_range(page, speed_up_of, engine, most);
  fputs("</tr>\n", page->out);
}

static void put_engines(struct td_page *page, unsigned most) {
  size_t graphs = page->comparison->graph_count;
  put_headings(page, most);
  for (size_t e = 0; e < page->comparison->engine_count; e++)
    put_engine(page, e, most);
  fprintf(
      page->out,
      "</table></div>\n<p class=\"small\">Smallest to largest over %zu graph%s, in brackets the "
      "median. A mark time over 1 is slower. ?: on one graph at least, these rounds do not know it "
      "to 5 %%.</p>\n",
      graphs, td_plural(graphs));
}

/* ---- Ratios as dots -------------------------------------------------------------------- */

static void fill_dots(struct td_page *page, const char *engine, unsigned markers,
                      struct td_dot *dots) {
  for (size_t g = 0; g < page->comparison->graph_count; g++) {
    const struct td_row *row = td_graph_row(&page->comparison->graphs[g], engine, markers);
    dots[g].value = NAN;
    if (!row) continue;
    struct td_summary ratio = td_row_ratio(row);
    dots[g] = (struct td_dot){.value = ratio.median,
                              .low = ratio.low,
                              .high = ratio.high,
                              .open = td_rows_alike(row, row->base),
                              .unsure = is_unsure(row)};
  }
}

static void put_dots(struct td_page *page, unsigned markers) {
  const struct td_comparison *comparison = page->comparison;
  size_t graphs = comparison->graph_count, engines = comparison->engine_count;
  struct td_dots *series = td_page_memory(page, engines, sizeof *series);
  struct td_dot *dots = td_page_memory(page, engines * graphs, sizeof *dots);
  const char **labels = td_page_memory(page, graphs, sizeof *labels);
  if (series && dots && labels) {
    for (size_t g = 0; g < graphs; g++)
      labels[g] = comparison->graphs[g].label;
    for (size_t e = 0; e < engines; e++) {
      const char *engine = comparison->engines[e].label;
      series[e] = (struct td_dots){.name = engine, .at = dots + e * graphs};
      fill_dots(page, engine, markers, dots + e * graphs);
    }
    td_svg_dots(page->out, "Mark time of each engine relative to the first", labels, graphs, series,
                engines);
  }
  free(series);
  free(dots);
  free(labels);
}

static void put_overview(struct td_page *page, unsigned markers) {
  fprintf(page->out, "<h4>Mark time with %u marker%s, as a multiple of ", markers,
          td_plural(markers));
  td_html_text(page->out, page->comparison->engines[0].label);
  fputs("’s (logarithmic; to the right is slower)</h4>\n", page->out);
  td_page_key(page);
  put_dots(page, markers);
  fputs("<p class=\"small\">Whiskers reach from the lower to the upper quartile of the rounds. A "
        "hollow mark cannot be told apart from 1.</p>\n",
        page->out);
}

/* ---- What these rounds cannot tell ------------------------------------------------------ */

/* An item of the list for each pair; says whether there was one. */
static bool put_pairs(struct td_page *page, const struct td_graph_rows *graph, bool any) {
  for (size_t i = 0; i < graph->row_count; i++)
    for (size_t j = 0; j < i; j++) {
      const struct td_row *a = &graph->rows[j], *b = &graph->rows[i];
      if (!td_rows_alike(a, b)) continue;
      fputs(any ? ""
                : "<p>Too few rounds agree on which of these is faster; they <strong>cannot be "
                  "told apart</strong>:</p>\n<ul class=\"small\">\n",
            page->out);
      any = true;
      fputs("<li>", page->out);
      td_html_text(page->out, a->engine.label);
      fputs(" and ", page->out);
      td_html_text(page->out, b->engine.label);
      fputs(" on ", page->out);
      td_html_text(page->out, graph->label);
      fprintf(page->out, ", %u marker%s</li>\n", a->markers, td_plural(a->markers));
    }
  return any;
}

static void put_alike(struct td_page *page) {
  const struct td_comparison *comparison = page->comparison;
  unsigned fewest, most;
  td_comparison_rounds(comparison, &fewest, &most);
  if (most < TD_ROUNDS_TO_DIFFER) {
    fprintf(page->out,
            "<p class=\"bad\">%u round%s: too few to tell any two engines apart. %u are the least."
            "</p>\n",
            most, td_plural(most), TD_ROUNDS_TO_DIFFER);
    return;
  }
  bool any = false;
  for (size_t g = 0; g < comparison->graph_count; g++)
    any = put_pairs(page, &comparison->graphs[g], any);
  if (any) fputs("</ul>\n", page->out);
}

/* ---- All of it ------------------------------------------------------------------------- */

static void put_verdict(struct td_page *page) {
  if (page->comparison->different)
    fputs("<p class=\"bad\"><strong>A check failed:</strong> at least one engine marked something "
          "else than the serial marking. See the table.</p>\n",
          page->out);
  else if (page->comparison->check)
    fputs("<p>Every engine’s marks were compared, object by object, with an independent serial "
          "search from the same roots: all equal.</p>\n",
          page->out);
  else
    fputs("<p>The marks were not compared object by object in this run (<code>--check</code> does "
          "that); their number was, and was right every time.</p>\n",
          page->out);
}

void td_report_summary(struct td_page *page) {
  unsigned most = td_page_most_markers(page);
  fputs("<h2>In short</h2>\n", page->out);
  td_frame_noise(page->out, &page->comparison->host);
  put_engines(page, most);
  put_verdict(page);
  if (page->comparison->engine_count < 2) return;
  put_overview(page, most);
  put_alike(page);
}
