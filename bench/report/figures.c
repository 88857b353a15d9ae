/* SPDX-License-Identifier: MIT */
#include "bench/report/figures.h"

#include "bench/report/html.h"

static void put_row(struct td_page *page, const struct td_graph_rows *graph,
                    const struct td_row *row) {
  struct td_summary ns = td_row_ns_per_object(graph, row), ratio = td_row_ratio(row);
  fputs("<tr><td>", page->out);
  td_html_text(page->out, row->engine.name);
  fprintf(page->out, "</td><td>%s</td><td>%u</td><td>%.2f</td><td>%.2f</td><td>%.2f–%.2f</td>",
          td_objects_name(row->engine.objects), row->markers,
          ns.median * (double)graph->objects / 1e6, ns.median, ns.min, ns.max);
  if (ratio.count)
    fprintf(page->out, "<td>%.2f%s%s</td><td>%.2f–%.2f</td>", ratio.median,
            td_rows_alike(row, row->base) ? " ~" : "",
            td_row_is_compared(row) && !td_row_is_known(row) ? " ?" : "", ratio.min, ratio.max);
  else
    fputs("<td>–</td><td>–</td>", page->out);
  if (row->cycle)
    fprintf(page->out, "<td>%.0f</td><td>%.0f</td>", td_samples_summary(&row->steals).median,
            td_samples_summary(&row->duplicates).median);
  else
    fputs("<td>–</td><td>–</td>", page->out);
  fprintf(page->out, "<td>%s</td></tr>\n",
          row->checked == TD_CHECKED_EQUAL       ? "equal"
          : row->checked == TD_CHECKED_MORE      ? "a little more"
          : row->checked == TD_CHECKED_DIFFERENT ? "<strong>DIFFERENT</strong>"
                                                 : "–");
}

void td_report_figures(struct td_page *page) {
  fputs("<h2>All figures</h2>\n<div class=\"wide\"><table>\n<tr><th>engine</th>"
        "<th>objects</th><th>markers</th><th>mark, ms</th><th>ns "
        "per<br>object</th><th>fastest–<br>slowest</th>"
        "<th>ratio to<br>",
        page->out);
  td_html_text(page->out, page->comparison->engines[0].label);
  fputs("</th><th>spread</th><th>steals</th><th>scanned<br>twice</th><th>check</th></tr>\n",
        page->out);
  for (size_t g = 0; g < page->comparison->graph_count; g++) {
    const struct td_graph_rows *graph = &page->comparison->graphs[g];
    fputs("<tr class=\"graph\"><td colspan=\"11\">", page->out);
    td_html_text(page->out, graph->label);
    fputs("</td></tr>\n", page->out);
    for (size_t i = 0; i < graph->row_count; i++)
      put_row(page, graph, &graph->rows[i]);
  }
  fputs("</table></div>\n<p class=\"small\">~: cannot be told apart from the first engine. ?: the "
        "median is not known to 5 % by "
        "these rounds. Steals, "
        "and objects that two markers scanned at the same "
        "moment (harmless): medians over the rounds.</p>\n",
        page->out);
}
