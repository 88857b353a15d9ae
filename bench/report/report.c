/* SPDX-License-Identifier: MIT */
#include "bench/report/report.h"

#include <string.h>

#include "bench/cli/complain.h"
#include "bench/cli/output.h"
#include "bench/report/figures.h"
#include "bench/report/frame.h"
#include "bench/report/graphs.h"
#include "bench/report/html.h"
#include "bench/report/page.h"
#include "bench/report/summary.h"
#include "bench/report/svg.h"

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
  td_frame_begin(page->out, "Marking compared", host);
  fprintf(page->out, ", %zu graph%s</p>\n", graphs, td_plural(graphs));
  td_report_summary(page);
  put_method(page);
  td_report_graphs(page);
  td_report_figures(page);
  td_frame_end(page->out, host);
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
