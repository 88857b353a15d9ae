/* SPDX-License-Identifier: MIT */
#include "bench/report/graphs.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "bench/report/html.h"
#include "bench/report/svg.h"

static void put_bars(struct td_page *page, const struct td_graph_rows *graph) {
  struct td_bar *bars = td_page_memory(page, graph->row_count, sizeof *bars);
  if (!bars) return;
  size_t count = 0;
  for (size_t m = 0; m < page->comparison->marker_count; m++) {
    bool first = true;
    for (size_t i = 0; i < graph->row_count; i++) {
      const struct td_row *row = &graph->rows[i];
      if (row->markers != page->comparison->markers[m] || count == graph->row_count) continue;
      struct td_summary ns = td_row_ns_per_object(graph, row);
      struct td_bar *bar = &bars[count++];
      *bar = (struct td_bar){.colour = td_page_colour(page, row->engine.label),
                             .value = ns.median,
                             .low = ns.low,
                             .high = ns.high,
                             .gap_before = first && m > 0};
      snprintf(bar->label, sizeof bar->label, "%s, %u marker%s", row->engine.label, row->markers,
               td_plural(row->markers));
      first = false;
    }
  }
  fputs("<h4>Nanoseconds per live object: median (quartiles of the rounds)</h4>\n", page->out);
  td_svg_bars(page->out, "Mark time per live object", bars, count);
  free(bars);
}

static void put_lanes(struct td_page *page, const struct td_row *row, uint64_t live) {
  const struct td_cycle_record *cycle = row->cycle;
  struct td_lane *lanes = td_page_memory(page, cycle->all.markers, sizeof *lanes);
  if (!lanes) return;
  for (unsigned i = 0; i < cycle->all.markers; i++) {
    const struct tide_marker_stats *m = &cycle->marker[i];
    struct td_lane *lane = &lanes[i];
    *lane = (struct td_lane){.started_ns = (double)m->started_ns,
                             .ended_ns = (double)m->ended_ns,
                             .roots_ns = (double)m->roots_ns,
                             .trace_ns = (double)m->trace_ns,
                             .idle_ns = (double)m->idle_ns,
                             .took_part = m->objects > 0 || m->ended_ns > m->started_ns};
    snprintf(lane->label, sizeof lane->label, "marker %u", i);
    if (lane->took_part)
      snprintf(lane->note, sizeof lane->note, "%.0f %%, %" PRIu64 " steal%s",
               live ? 100 * (double)m->objects / (double)live : 0.0, m->steals,
               td_plural(m->steals));
    else
      snprintf(lane->note, sizeof lane->note, "not called");
  }
  fputs("<h4>", page->out);
  td_html_text(page->out, row->engine.label);
  fprintf(page->out, " with %u markers, the fastest round</h4>\n", row->markers);
  td_svg_lanes(page->out, "What each marker did", lanes, cycle->all.markers,
               (double)cycle->all.mark_ns);
  free(lanes);
}

static void put_activity_key(struct td_page *page, const struct td_graph_rows *graph) {
  bool roots = false; /* has any marker counted its time on roots apart? */
  for (size_t i = 0; i < graph->row_count; i++)
    for (unsigned m = 0; graph->rows[i].cycle && m < graph->rows[i].cycle->all.markers; m++)
      roots = roots || graph->rows[i].cycle->marker[m].roots_ns > 0;
  fputs("<p class=\"key small\">", page->out);
  if (roots) fputs("<span><i style=\"background:" TD_SVG_ROOTS "\"></i>roots</span>", page->out);
  fputs("<span><i style=\"background:" TD_SVG_TRACE
        "\"></i>tracing</span><span><i style=\"background:" TD_SVG_IDLE
        "\"></i>idle: looking for work, or parked</span><span><i style=\"background:" TD_SVG_AWAY
        "\"></i>not yet called, or done</span><span>To the right: share of the objects, successful "
        "steals.</span></p>\n",
        page->out);
}

static void put_activity(struct td_page *page, const struct td_graph_rows *graph) {
  unsigned most = td_page_most_markers(page);
  bool said = false;
  for (size_t i = 0; i < graph->row_count && most > 1; i++) {
    const struct td_row *row = &graph->rows[i];
    if (row->markers != most || !row->cycle) continue;
    put_lanes(page, row, graph->objects);
    said = true;
  }
  if (said) put_activity_key(page, graph);
}

static void put_frontier(struct td_page *page, const struct td_graph_rows *graph) {
  const struct td_graph_profile *p = graph->profile;
  if (!p || p->points == 0) return;
  fputs("<h4>Width of the frontier, in objects (logarithmic), over ", page->out);
  td_html_count(page->out, p->levels);
  fprintf(page->out, " level%s</h4>\n", td_plural(p->levels));
  td_svg_frontier(page->out, "Width of the frontier", p->frontier, p->points, p->levels);
  fputs("<p class=\"small\">", page->out);
  td_html_count(page->out, p->levels_narrow);
  fprintf(page->out, " of the levels have fewer than %u objects; the widest has ",
          TD_PROFILE_NARROW);
  td_html_count(page->out, p->level_max);
  fprintf(page->out,
          ". %.0f %% of the references lead less than 4 KiB away. A plain depth-first marker’s "
          "stack would hold up to ",
          p->edges ? 100 * (double)p->near_edges / (double)p->edges : 0.0);
  td_html_count(page->out, p->stack_max);
  fprintf(page->out, " item%s.</p>\n", td_plural(p->stack_max));
}

/* Returns a row of a Tidemark heap, or NULL. */
static const struct td_row *heap_of(const struct td_graph_rows *graph) {
  for (size_t i = 0; i < graph->row_count; i++)
    if (graph->rows[i].engine.kind == TD_ENGINE_TIDE) return &graph->rows[i];
  return NULL;
}

static void put_graph(struct td_page *page, const struct td_graph_rows *graph) {
  fputs("<h3>", page->out);
  td_html_text(page->out, graph->label);
  fputs("</h3>\n<p>", page->out);
  const char *meaning = graph->spec->kind->meaning;
  fputc(toupper((unsigned char)meaning[0]), page->out);
  td_html_text(page->out, meaning + 1);
  if (graph->about) {
    fputs(" (", page->out);
    td_html_text(page->out, graph->about);
    fputs(")", page->out);
  }
  fputs(". ", page->out);
  td_html_count(page->out, graph->objects);
  fputs(" live objects, ", page->out);
  td_html_count(page->out, graph->edges);
  const struct td_row *row = heap_of(graph);
  if (row)
    fprintf(page->out, " references, %.1f MiB on a Tidemark heap.</p>\n",
            (double)row->bytes / (1 << 20));
  else
    fprintf(page->out, " references, %.1f MiB.</p>\n", (double)graph->bytes / (1 << 20));
  put_bars(page, graph);
  put_activity(page, graph);
  put_frontier(page, graph);
}

void td_report_graphs(struct td_page *page) {
  fputs(
      "<h2>Graph by graph</h2>\n"
      "<p>Under each graph’s bars: what the markers did in the fastest round (the parts of a lane "
      "show how much time went where, not in which order), and the width of the frontier "
      "from level to level, the roots’ objects first. Where the frontier is one object wide, as "
      "in a list, no second marker can help; where it is wide, memory is the limit.</p>\n",
      page->out);
  for (size_t g = 0; g < page->comparison->graph_count; g++)
    put_graph(page, &page->comparison->graphs[g]);
}
