#include "bench/compare/report.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare/svg.h"

static const char style[] =
    ":root{color-scheme:light}"
    "body{font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;color:#1c2430;"
    "background:#fff;max-width:1000px;margin:0 auto;padding:2rem 1.25rem 4rem}"
    "h1{font-size:1.9rem;line-height:1.2;margin:0 0 .25rem}"
    "h2{font-size:1.35rem;margin:2.6rem 0 .5rem;border-bottom:1px solid #d9dee4;"
    "padding-bottom:.25rem}"
    "h3{font-size:1.08rem;margin:2rem 0 .2rem;overflow-wrap:anywhere}"
    "h3,code,tr.graph td{font-family:ui-monospace,Consolas,monospace}"
    "h4{font-size:.9rem;margin:1rem 0 .2rem;color:#4a5563;font-weight:600}"
    "p,li{max-width:75ch}"
    ".sub,.small{color:#4a5563}"
    ".small{font-size:.88rem;margin:.2rem 0}"
    ".bad{background:#fbe9eb;border-left:4px solid #b23a48;padding:.6rem 1rem}"
    ".key{max-width:none}"
    ".key span{display:inline-block;margin-right:1.1rem}"
    ".key i{display:inline-block;width:.8em;height:.8em;margin-right:.35em;border-radius:2px}"
    "svg{width:100%;min-width:640px;height:auto;display:block;margin:.2rem 0 .4rem}"
    "svg text{font:12.5px system-ui,sans-serif;fill:#1c2430}"
    "svg .name,svg .end{text-anchor:end}"
    "svg .tick{text-anchor:middle;font-size:11.5px}"
    "svg .tick,svg .value,svg .start,svg .end{fill:#4a5563}"
    ".grid{stroke:#e3e7ec}"
    ".one{stroke:#1c2430;stroke-dasharray:3 3}"
    ".whisker{stroke:#1c2430}"
    ".wide{overflow-x:auto}"
    "table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums}"
    "th,td{padding:.22rem .7rem;text-align:right;white-space:nowrap}"
    "th{border-bottom:2px solid #1c2430;vertical-align:bottom}"
    "td{border-bottom:1px solid #e9edf1}"
    "th:first-child,td:first-child{text-align:left}"
    "tr.graph td{font-weight:600;padding-top:.9rem;border-bottom-color:#9aa5b1}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:.5rem 0}"
    "dt{font-weight:600}"
    "dd{margin:0}";

static const char *plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

static size_t engine_index(const struct td_comparison *comparison, const char *name) {
  for (size_t i = 0; i < comparison->engine_count; i++)
    if (strcmp(comparison->engines[i].name, name) == 0) return i;
  return 0;
}

static const char *colour_of(const struct td_comparison *comparison, const struct td_row *row) {
  return td_svg_colour(engine_index(comparison, row->engine.name));
}

static unsigned most_markers(const struct td_comparison *comparison) {
  unsigned most = 1;
  for (size_t i = 0; i < comparison->marker_count; i++)
    if (comparison->markers[i] > most) most = comparison->markers[i];
  return most;
}

static const struct td_row *row_of(const struct td_graph_rows *graph, const char *engine,
                                   unsigned markers) {
  for (size_t i = 0; i < graph->row_count; i++)
    if (graph->rows[i].markers == markers && strcmp(graph->rows[i].engine.name, engine) == 0)
      return &graph->rows[i];
  return NULL;
}

static void put_key(const struct td_comparison *comparison, FILE *out) {
  fputs("<p class=\"key small\">", out);
  for (size_t i = 0; i < comparison->engine_count; i++) {
    fprintf(out, "<span><i style=\"background:%s\"></i>", td_svg_colour(i));
    td_html_text(out, comparison->engines[i].name);
    fputs("</span>", out);
  }
  fputs("</p>\n", out);
}

/* ---- In short -------------------------------------------------------------------------- */

/* Smallest to largest over the graphs, and the median, in a table's cell. */
static void put_range(struct td_samples *samples, FILE *out) {
  struct td_summary all = td_samples_summary(samples);
  if (all.count)
    fprintf(out, "<td>%.2f–%.2f (%.2f)</td>", all.min, all.max, all.median);
  else
    fputs("<td>–</td>", out);
  td_samples_free(samples);
}

/* How much longer than the first engine did this one take? */
static void put_cost(const struct td_comparison *comparison, const char *engine, unsigned markers,
                     FILE *out) {
  struct td_samples ratios = {0};
  for (size_t g = 0; g < comparison->graph_count; g++) {
    const struct td_row *row = row_of(&comparison->graphs[g], engine, markers);
    struct td_summary ratio = row ? td_row_ratio(row) : (struct td_summary){0};
    if (ratio.count) td_samples_add(&ratios, ratio.median);
  }
  put_range(&ratios, out);
}

/* How much faster is it with all markers than with one? */
static void put_speed_up(const struct td_comparison *comparison, const char *engine,
                         unsigned markers, FILE *out) {
  struct td_samples gains = {0};
  for (size_t g = 0; g < comparison->graph_count; g++) {
    const struct td_row *one = row_of(&comparison->graphs[g], engine, 1);
    const struct td_row *many = row_of(&comparison->graphs[g], engine, markers);
    if (!one || !many) continue;
    struct td_summary gain = td_samples_ratio(&one->mark_ns, &many->mark_ns);
    if (gain.count) td_samples_add(&gains, gain.median);
  }
  put_range(&gains, out);
}

static void put_summary(const struct td_comparison *comparison, unsigned most, FILE *out) {
  const char *first = comparison->engines[0].name;
  fputs("<div class=\"wide\"><table>\n<tr><th></th>", out);
  for (size_t m = 0; m < comparison->marker_count; m++) {
    fprintf(out, "<th>mark time, %u marker%s,<br>", comparison->markers[m],
            plural(comparison->markers[m]));
    td_html_text(out, first);
    fputs(" = 1</th>", out);
  }
  if (most > 1) fprintf(out, "<th>speed-up<br>from 1 to %u markers</th>", most);
  fputs("</tr>\n", out);
  for (size_t e = 0; e < comparison->engine_count; e++) {
    const char *engine = comparison->engines[e].name;
    fprintf(out, "<tr><td style=\"color:%s\"><strong>", td_svg_colour(e));
    td_html_text(out, engine);
    fputs("</strong></td>", out);
    for (size_t m = 0; m < comparison->marker_count; m++) {
      if (e == 0)
        fputs("<td>1</td>", out);
      else
        put_cost(comparison, engine, comparison->markers[m], out);
    }
    if (most > 1) put_speed_up(comparison, engine, most, out);
    fputs("</tr>\n", out);
  }
  fprintf(
      out,
      "</table></div>\n<p class=\"small\">Smallest to largest over %zu graph%s, in brackets the "
      "median. A mark time over 1 is slower.</p>\n",
      comparison->graph_count, plural(comparison->graph_count));
}

static void put_overview(const struct td_comparison *comparison, unsigned markers, FILE *out) {
  size_t graphs = comparison->graph_count, engines = comparison->engine_count;
  struct td_dots *dots = calloc(engines, sizeof *dots);
  double *values = calloc(engines * graphs, sizeof *values);
  const char **labels = calloc(graphs, sizeof *labels);
  if (dots && values && labels) {
    for (size_t g = 0; g < graphs; g++)
      labels[g] = comparison->graphs[g].label;
    for (size_t e = 0; e < engines; e++) {
      dots[e] = (struct td_dots){.name = comparison->engines[e].name,
                                 .colour = td_svg_colour(e),
                                 .values = values + e * graphs};
      for (size_t g = 0; g < graphs; g++) {
        const struct td_row *row = row_of(&comparison->graphs[g], dots[e].name, markers);
        values[e * graphs + g] = row ? td_row_ratio(row).median : (double)NAN;
      }
    }
    fprintf(out, "<h4>Mark time with %u marker%s, as a multiple of ", markers, plural(markers));
    td_html_text(out, comparison->engines[0].name);
    fputs("’s (logarithmic; to the right is slower)</h4>\n", out);
    put_key(comparison, out);
    td_svg_dots(out, "Mark time of each engine relative to the first", labels, graphs, dots,
                engines);
  }
  free(dots);
  free(values);
  free(labels);
}

static void put_verdict(const struct td_comparison *comparison, FILE *out) {
  if (comparison->different)
    fputs("<p class=\"bad\"><strong>A check failed:</strong> at least one engine marked something "
          "else than the serial marking. See the table.</p>\n",
          out);
  else if (comparison->check)
    fputs("<p>Every engine’s marks were compared, object by object, with an independent serial "
          "search from the same roots: all equal.</p>\n",
          out);
  else
    fputs("<p>The marks were not compared object by object in this run (<code>--check</code> does "
          "that); their number was, and was right every time.</p>\n",
          out);
}

static void put_short(const struct td_comparison *comparison, FILE *out) {
  unsigned most = most_markers(comparison);
  fputs("<h2>In short</h2>\n", out);
  put_summary(comparison, most, out);
  put_verdict(comparison, out);
  if (comparison->engine_count > 1) put_overview(comparison, most, out);
}

/* ---- What was compared ----------------------------------------------------------------- */

static void put_method(const struct td_comparison *comparison, FILE *out) {
  fputs(
      "<h2>What was compared</h2>\n"
      "<p>A garbage collector must find every object that a program can still reach. It starts "
      "from the <em>roots</em> and follows references; each object it meets is <em>marked</em>, "
      "once. The objects met but not yet looked into are the <em>frontier</em>. Several threads, "
      "the <em>markers</em>, can share it: each keeps its part in a queue of its own, and one "
      "that runs dry steals from another. How long that takes, per live object, is what this page "
      "compares. Sweeping, and what the program itself does, are not in the figures.</p>\n<dl>\n",
      out);
  for (size_t i = 0; i < comparison->engine_count; i++) {
    fprintf(out, "<dt style=\"color:%s\">", td_svg_colour(i));
    td_html_text(out, comparison->engines[i].name);
    fputs("</dt><dd>", out);
    td_html_text(out, comparison->engines[i].text);
    fputs("</dd>\n", out);
  }
  fprintf(
      out,
      "</dl>\n<p>All engines but Boehm GC mark the same Tidemark heap with the same marker; only "
      "the queue differs. Boehm GC holds the same graph, built by the same calls, in a process "
      "of its own for each number of markers, and is timed by its own collection events. After "
      "a round that warms up there were %u timed round%s. In each round every engine marked "
      "once, and each round began with another one, so that whatever disturbed the machine "
      "for a while disturbed all. Bars show the median, whiskers the fastest and the slowest "
      "round. Ratios are taken within each round. Only ratios carry over to another "
      "machine.</p>\n",
      comparison->rounds, plural(comparison->rounds));
}

/* ---- Graphs ---------------------------------------------------------------------------- */

static void put_bars(const struct td_comparison *comparison, const struct td_graph_rows *graph,
                     FILE *out) {
  struct td_bar *bars = calloc(graph->row_count, sizeof *bars);
  if (!bars) return;
  size_t count = 0;
  for (size_t m = 0; m < comparison->marker_count; m++) {
    bool first = true;
    for (size_t i = 0; i < graph->row_count; i++) {
      const struct td_row *row = &graph->rows[i];
      if (row->markers != comparison->markers[m] || count == graph->row_count) continue;
      struct td_summary ns = td_row_ns_per_object(graph, row);
      struct td_bar *bar = &bars[count++];
      *bar = (struct td_bar){.colour = colour_of(comparison, row),
                             .value = ns.median,
                             .low = ns.min,
                             .high = ns.max,
                             .gap_before = first && m > 0};
      snprintf(bar->label, sizeof bar->label, "%s, %u marker%s", row->engine.name, row->markers,
               plural(row->markers));
      first = false;
    }
  }
  fputs("<h4>Nanoseconds per live object: median (fastest–slowest round)</h4>\n", out);
  td_svg_bars(out, "Mark time per live object", bars, count);
  free(bars);
}

static void put_lanes(const struct td_row *row, uint64_t live, FILE *out) {
  const struct tide_cycle_stats *cycle = row->cycle;
  struct td_lane *lanes = calloc(cycle->markers, sizeof *lanes);
  if (!lanes) return;
  for (unsigned i = 0; i < cycle->markers; i++) {
    const struct tide_marker_stats *m = &cycle->marker[i];
    struct td_lane *lane = &lanes[i];
    *lane = (struct td_lane){.started_ns = (double)m->started_ns,
                             .ended_ns = (double)m->ended_ns,
                             .roots_ns = (double)m->roots_ns,
                             .trace_ns = (double)(m->trace_ns + m->dense_ns),
                             .idle_ns = (double)m->idle_ns,
                             .took_part = m->objects > 0 || m->ended_ns > m->started_ns};
    snprintf(lane->label, sizeof lane->label, "marker %u", i);
    if (lane->took_part)
      snprintf(lane->note, sizeof lane->note, "%.0f %%, %" PRIu64 " steal%s",
               live ? 100 * (double)m->objects / (double)live : 0.0, m->steals, plural(m->steals));
    else
      snprintf(lane->note, sizeof lane->note, "not called");
  }
  fputs("<h4>", out);
  td_html_text(out, row->engine.name);
  fprintf(out, " with %u markers, the fastest round</h4>\n", row->markers);
  td_svg_lanes(out, "What each marker did", lanes, cycle->markers, (double)cycle->mark_ns);
  free(lanes);
}

static void put_activity_key(const struct td_graph_rows *graph, FILE *out) {
  bool roots = false; /* has any marker counted its time on roots apart? */
  for (size_t i = 0; i < graph->row_count; i++)
    for (unsigned m = 0; graph->rows[i].cycle && m < graph->rows[i].cycle->markers; m++)
      roots = roots || graph->rows[i].cycle->marker[m].roots_ns > 0;
  fputs("<p class=\"key small\">", out);
  if (roots) fputs("<span><i style=\"background:" TD_SVG_ROOTS "\"></i>roots</span>", out);
  fputs("<span><i style=\"background:" TD_SVG_TRACE
        "\"></i>tracing</span><span><i style=\"background:" TD_SVG_IDLE
        "\"></i>idle: looking for work, or parked</span><span><i style=\"background:" TD_SVG_AWAY
        "\"></i>not yet called, or done</span><span>To the right: share of the objects, successful "
        "steals.</span></p>\n",
        out);
}

static void put_activity(const struct td_comparison *comparison, const struct td_graph_rows *graph,
                         FILE *out) {
  unsigned most = most_markers(comparison);
  bool said = false;
  for (size_t i = 0; i < graph->row_count && most > 1; i++) {
    const struct td_row *row = &graph->rows[i];
    if (row->markers != most || !row->cycle) continue;
    put_lanes(row, graph->objects, out);
    said = true;
  }
  if (said) put_activity_key(graph, out);
}

static void put_frontier(const struct td_graph_rows *graph, FILE *out) {
  const struct td_graph_profile *p = graph->profile;
  if (!p || p->points == 0) return;
  fputs("<h4>Width of the frontier, in objects (logarithmic), over ", out);
  td_html_count(out, p->levels);
  fprintf(out, " level%s</h4>\n", plural(p->levels));
  td_svg_frontier(out, "Width of the frontier", p->frontier, p->points, p->levels);
  fputs("<p class=\"small\">", out);
  td_html_count(out, p->levels_narrow);
  fprintf(out, " of the levels have fewer than %u objects; the widest has ", TD_PROFILE_NARROW);
  td_html_count(out, p->level_max);
  fprintf(out,
          ". %.0f %% of the references lead less than 4 KiB away. A plain depth-first marker’s "
          "stack would hold up to ",
          p->edges ? 100 * (double)p->near_edges / (double)p->edges : 0.0);
  td_html_count(out, p->stack_max);
  fprintf(out, " item%s.</p>\n", plural(p->stack_max));
}

static void put_graph(const struct td_comparison *comparison, const struct td_graph_rows *graph,
                      FILE *out) {
  fputs("<h3>", out);
  td_html_text(out, graph->label);
  fputs("</h3>\n<p>", out);
  const char *meaning = graph->spec->kind->meaning;
  fputc(toupper((unsigned char)meaning[0]), out);
  td_html_text(out, meaning + 1);
  if (graph->about) {
    fputs(" (", out);
    td_html_text(out, graph->about);
    fputs(")", out);
  }
  fputs(". ", out);
  td_html_count(out, graph->objects);
  fputs(" live objects, ", out);
  td_html_count(out, graph->edges);
  fprintf(out, " references, %.1f MiB.</p>\n", (double)graph->bytes / (1 << 20));
  put_bars(comparison, graph, out);
  put_activity(comparison, graph, out);
  put_frontier(graph, out);
}

static void put_graphs(const struct td_comparison *comparison, FILE *out) {
  fputs(
      "<h2>Graph by graph</h2>\n"
      "<p>Under each graph’s bars: what the markers did in the fastest round (the parts of a lane "
      "show how much time went where, not in which order), and the width of the frontier "
      "from level to level, the roots’ objects first. Where the frontier is one object wide, as "
      "in a list, no second marker can help; where it is wide, memory is the limit.</p>\n",
      out);
  for (size_t g = 0; g < comparison->graph_count; g++)
    put_graph(comparison, &comparison->graphs[g], out);
}

/* ---- Table and machine ----------------------------------------------------------------- */

static void put_row(const struct td_graph_rows *graph, const struct td_row *row, FILE *out) {
  struct td_summary ns = td_row_ns_per_object(graph, row), ratio = td_row_ratio(row);
  fputs("<tr><td>", out);
  td_html_text(out, row->engine.name);
  fprintf(out, "</td><td>%u</td><td>%.2f</td><td>%.2f</td><td>%.2f–%.2f</td>", row->markers,
          ns.median * (double)graph->objects / 1e6, ns.median, ns.min, ns.max);
  if (ratio.count)
    fprintf(out, "<td>%.2f</td><td>%.2f–%.2f</td>", ratio.median, ratio.min, ratio.max);
  else
    fputs("<td>–</td><td>–</td>", out);
  if (row->cycle)
    fprintf(out, "<td>%.0f</td><td>%.0f</td>", td_samples_summary(&row->steals).median,
            td_samples_summary(&row->duplicates).median);
  else
    fputs("<td>–</td><td>–</td>", out);
  fprintf(out, "<td>%s</td></tr>\n",
          row->checked == TD_CHECKED_EQUAL       ? "equal"
          : row->checked == TD_CHECKED_DIFFERENT ? "<strong>DIFFERENT</strong>"
                                                 : "–");
}

static void put_table(const struct td_comparison *comparison, FILE *out) {
  fputs("<h2>All figures</h2>\n<div class=\"wide\"><table>\n<tr><th>engine</th>"
        "<th>markers</th><th>mark, ms</th><th>ns per<br>object</th><th>fastest–<br>slowest</th>"
        "<th>ratio to<br>",
        out);
  td_html_text(out, comparison->engines[0].name);
  fputs("</th><th>spread</th><th>steals</th><th>scanned<br>twice</th><th>check</th></tr>\n", out);
  for (size_t g = 0; g < comparison->graph_count; g++) {
    const struct td_graph_rows *graph = &comparison->graphs[g];
    fputs("<tr class=\"graph\"><td colspan=\"10\">", out);
    td_html_text(out, graph->label);
    fputs("</td></tr>\n", out);
    for (size_t i = 0; i < graph->row_count; i++)
      put_row(graph, &graph->rows[i], out);
  }
  fputs(
      "</table></div>\n<p class=\"small\">Steals, and objects that two markers scanned at the same "
      "moment (harmless): medians over the rounds.</p>\n",
      out);
}

static void put_machine(const struct td_comparison *comparison, FILE *out) {
  const struct td_host *host = &comparison->host;
  fputs("<h2>The machine</h2>\n<dl>\n<dt>processor</dt><dd>", out);
  td_html_text(out, host->cpu);
  fprintf(out, ": %u core%s in %u package%s, %u hardware thread%s, %u of them allowed</dd>\n",
          host->cores, plural(host->cores), host->packages, plural(host->packages),
          host->hardware_threads, plural(host->hardware_threads), host->cpus_allowed);
  fprintf(out,
          "<dt>caches</dt><dd>L1 %" PRIu64 " KiB, L2 %" PRIu64 " KiB, L3 %" PRIu64 " MiB</dd>\n"
          "<dt>memory</dt><dd>%.1f GiB in %u NUMA node%s, transparent huge pages: ",
          host->l1_bytes >> 10, host->l2_bytes >> 10, host->l3_bytes >> 20,
          (double)host->memory_bytes / (double)(1u << 30), host->numa_nodes,
          plural(host->numa_nodes));
  td_html_text(out, host->huge_pages);
  fputs("</dd>\n<dt>system</dt><dd>", out);
  td_html_text(out, host->kernel);
  fputs("</dd>\n<dt>compiler</dt><dd>", out);
  td_html_text(out, host->compiler);
  fprintf(out, "</dd>\n<dt>tidemark</dt><dd>%s</dd>\n<dt>measured</dt><dd>%s</dd>\n</dl>\n",
          host->version, host->time);
}

void td_report_write(const struct td_comparison *comparison, FILE *out) {
  fprintf(out,
          "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
          "<title>Tidemark: marking compared</title>\n<style>%s</style></head><body>\n"
          "<h1>Marking compared</h1>\n<p class=\"sub\">Tidemark %s, %s, ",
          style, comparison->host.version, comparison->host.time);
  td_html_text(out, comparison->host.cpu);
  fprintf(out, ", %zu graph%s</p>\n", comparison->graph_count, plural(comparison->graph_count));
  put_short(comparison, out);
  put_method(comparison, out);
  put_graphs(comparison, out);
  put_table(comparison, out);
  put_machine(comparison, out);
  fputs("</body></html>\n", out);
}
