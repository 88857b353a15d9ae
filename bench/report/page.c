/* SPDX-License-Identifier: MIT */
#include "bench/report/page.h"

#include <stdlib.h>
#include <string.h>

#include "bench/report/html.h"
#include "bench/report/svg.h"

void *td_page_memory(struct td_page *page, size_t count, size_t bytes) {
  void *memory = calloc(count + 1, bytes); /* never NULL for a count of 0 */
  if (!memory) page->failed = true;
  return memory;
}

unsigned td_page_most_markers(const struct td_page *page) {
  const struct td_comparison *comparison = page->comparison;
  unsigned most = 1;
  for (size_t i = 0; i < comparison->marker_count; i++)
    if (comparison->markers[i] > most) most = comparison->markers[i];
  return most;
}

const char *td_page_colour(const struct td_page *page, const char *engine) {
  size_t index = 0;
  while (index < page->comparison->engine_count &&
         strcmp(page->comparison->engines[index].label, engine) != 0)
    index++;
  return td_svg_colour(index);
}

void td_page_key(const struct td_page *page) {
  fputs("<p class=\"key small\">", page->out);
  for (size_t i = 0; i < page->comparison->engine_count; i++) {
    fputs("<span>", page->out);
    td_svg_mark(page->out, i);
    td_html_text(page->out, page->comparison->engines[i].label);
    fputs("</span>", page->out);
  }
  fputs("</p>\n", page->out);
}
