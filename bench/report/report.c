/* SPDX-License-Identifier: MIT */
#include "bench/report/report.h"

#include <string.h>

#include "bench/cli/complain.h"
#include "bench/cli/output.h"
#include "bench/report/figures.h"
#include "bench/report/graphs.h"
#include "bench/report/html.h"
#include "bench/report/page.h"
#include "bench/report/summary.h"
#include "bench/report/svg.h"

/* Text has a contrast of 4.5 : 1 and more, what is drawn one of 3 : 1, on light and on dark. */
static const char style[] =
    ":root{color-scheme:light dark;--ink:#1c2430;--soft:#4a5563;--paper:#fff;--line:#d9dee4;"
    "--bad:#fbe9eb;--badge:#b23a48;--roots:#9a63c8;--trace:#4f6f8f;--idle:#b8860b;--away:#eceef1;"
    "--frontier:#6f97b8;--e0:#1b6ca8;--e1:#b85a12;--e2:#2b7d48;--e3:#b23a48;--e4:#7a5ba6;"
    "--e5:#7d5f38;--e6:#56697a;--e7:#806b10;--e8:#1c7a7a;--e9:#ab3f7b}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6eaef;--soft:#a9b4c0;--paper:#14181d;"
    "--line:#39424d;--bad:#3a2024;--badge:#f08a94;--roots:#c39be8;--trace:#8fb0d1;--idle:#e6bd55;"
    "--away:#252c34;--frontier:#6f97b8;--e0:#6cb0e6;--e1:#f0a060;--e2:#6fce8d;--e3:#f08a94;"
    "--e4:#bda2e6;--e5:#cfae84;--e6:#a9bccd;--e7:#d9c25e;--e8:#5fcaca;--e9:#ee93c4}}"
    "body{font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;color:var(--ink);"
    "background:var(--paper);max-width:1000px;margin:0 auto;padding:2rem 1.25rem 4rem}"
    "h1{font-size:1.9rem;line-height:1.2;margin:0 0 .25rem}"
    "h2{font-size:1.35rem;margin:2.6rem 0 .5rem;border-bottom:1px solid var(--line);"
    "padding-bottom:.25rem}"
    "h3{font-size:1.08rem;margin:2rem 0 .2rem;overflow-wrap:anywhere}"
    "h3,code,tr.graph td{font-family:ui-monospace,Consolas,monospace}"
    "h4{font-size:.9rem;margin:1rem 0 .2rem;color:var(--soft);font-weight:600}"
    "p,li{max-width:75ch}"
    ".sub,.small{color:var(--soft)}"
    ".small{font-size:.88rem;margin:.2rem 0}"
    ".bad{background:var(--bad);border-left:4px solid var(--badge);padding:.6rem 1rem}"
    ".key{max-width:none}"
    ".key span{display:inline-block;margin-right:1.1rem}"
    ".key i{display:inline-block;width:.8em;height:.8em;margin-right:.35em;border-radius:2px}"
    "svg{width:100%;max-width:640px;height:auto;display:block;margin:.2rem 0 .4rem}"
    "svg.mark{display:inline-block;width:.95em;height:.95em;margin:0 .4em 0 0;"
    "vertical-align:-.1em}"
    "svg text{font:12.5px system-ui,sans-serif;fill:var(--ink)}"
    "svg .name,svg .end{text-anchor:end}"
    "svg .tick{text-anchor:middle;font-size:11.5px}"
    "svg .tick,svg .value,svg .end{fill:var(--soft)}"
    ".grid{stroke:var(--line)}"
    ".one{stroke:var(--ink);stroke-dasharray:3 3}"
    ".whisker{stroke:var(--ink)}"
    ".wide{overflow-x:auto}"
    "table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums}"
    "th,td{padding:.22rem .7rem;text-align:right;white-space:nowrap}"
    "th{border-bottom:2px solid var(--ink);vertical-align:bottom}"
    "td{border-bottom:1px solid var(--line)}"
    "th:first-child,td:first-child{text-align:left}"
    "tr.graph td{font-weight:600;padding-top:.9rem;border-bottom-color:var(--soft)}"
    "dl{display:grid;grid-template-columns:fit-content(40%) 1fr;gap:.2rem 1rem;margin:.5rem 0}"
    "dt{font-weight:600;overflow-wrap:anywhere}"
    "dd{margin:0;overflow-wrap:anywhere}";

static const char *objects_in_words(const struct td_comparison *comparison) {
  const char *objects = td_comparison_objects(comparison);
  if (strcmp(objects, "precise") == 0) return "with their layouts (precise)";
  if (strcmp(objects, "conservative") == 0)
    return "without layouts: those that can hold references are scanned word by word "
           "(conservative), as in <code>boehm</code>";
  return "twice, on two heaps: with their layouts, and without, so that those that can hold "
         "references are scanned word by word (conservative)";
}

static const char *rounds_in_words(const struct td_comparison *comparison, char *text,
                                   size_t bytes) {
  unsigned fewest, most;
  td_comparison_rounds(comparison, &fewest, &most);
  int length = fewest == most
                   ? snprintf(text, bytes, "%u timed round%s", most, td_plural(most))
                   : snprintf(text, bytes, "%u to %u timed rounds of each graph", fewest, most);
  if (comparison->seconds > 0)
    snprintf(text + length, bytes - (size_t)length,
             ": at least %u, until every median ratio was known to %.0f %% (by a 95 %% interval of "
             "order statistics, which asks nothing of the distribution) or %g s were over",
             comparison->rounds, 100 * TD_RATIO_DOUBT, comparison->seconds);
  return text;
}

static void put_method(struct td_page *page) {
  char rounds[320];
  fputs(
      "<h2>What was compared</h2>\n"
      "<p>A garbage collector must find every object that a program can still reach. It starts "
      "from the <em>roots</em> and follows references; each object it meets is <em>marked</em>, "
      "once. The objects met but not yet looked into are the <em>frontier</em>. Several threads, "
      "the <em>markers</em>, can share it: each keeps its part in a queue of its own, and one "
      "that runs dry steals from another. How long that takes, per live object, is what this page "
      "compares. Sweeping, and what the program itself does, are not in the figures.</p>\n<dl>\n",
      page->out);
  for (size_t i = 0; i < page->comparison->engine_count; i++) {
    fputs("<dt>", page->out);
    td_svg_mark(page->out, i);
    td_html_text(page->out, page->comparison->engines[i].label);
    fputs("</dt><dd>", page->out);
    td_html_text(page->out, page->comparison->engines[i].text);
    fputs("</dd>\n", page->out);
  }
  fprintf(
      page->out,
      "</dl>\n<p>All engines but Boehm GC mark the same Tidemark heap with the same marker; only "
      "the queue differs. The objects of that heap were built %s. "
      "<strong>Boehm GC’s are conservative in <code>boehm</code></strong>, which looks at every "
      "word "
      "of an object that can hold references, and not in <code>boehm-typed</code>, which was told "
      "their layouts; compare like with like (<code>--objects</code>). Boehm GC holds the same "
      "graph, built by the same calls, in a process "
      "of its own for each number of markers, and is timed by its own collection events. After "
      "a round that warms up there were %s. In each round every engine marked "
      "once, and each round began with another one, so that whatever disturbed the machine "
      "for a while disturbed all. Bars and marks show the median, whiskers reach from the lower "
      "to the upper quartile of the rounds. Ratios are taken within each round. Only ratios carry "
      "over to another "
      "machine.</p>\n",
      objects_in_words(page->comparison), rounds_in_words(page->comparison, rounds, sizeof rounds));
}

static void put_page(struct td_page *page) {
  const struct td_host *host = &page->comparison->host;
  size_t graphs = page->comparison->graph_count;
  fprintf(page->out,
          "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
          "<title>Tidemark: marking compared</title>\n<style>%s</style></head><body>\n"
          "<h1>Marking compared</h1>\n<p class=\"sub\">Tidemark %s, %s, ",
          style, host->version, host->time);
  td_html_text(page->out, host->cpu);
  fprintf(page->out, ", %zu graph%s</p>\n", graphs, td_plural(graphs));
  td_report_summary(page);
  put_method(page);
  td_report_graphs(page);
  td_report_figures(page);
  td_report_machine(page);
  fputs("</body></html>\n", page->out);
}

int td_report_write(const struct td_comparison *comparison, const char *path) {
  if (!path) return TD_EXIT_OK;
  struct td_output output;
  int status = td_output_open(&output, path);
  if (status != TD_EXIT_OK) return status;
  struct td_page page = {.out = output.file, .comparison = comparison};
  put_page(&page);
  if (!page.failed) return td_output_commit(&output);
  td_output_discard(&output);
  return td_complain(TD_EXIT_RESOURCES, "not enough memory for the report '%s'", path);
}
