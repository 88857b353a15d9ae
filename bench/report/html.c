/* SPDX-License-Identifier: MIT */
#include "bench/report/html.h"

#include <inttypes.h>

#include "bench/cli/utf8.h"

/* Returns what stands for the character, or NULL if it stands for itself. */
static const char *entity_of(uint32_t character) {
  switch (character) {
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '&':
    return "&amp;";
  case '"':
    return "&quot;";
  case '\'':
    return "&#39;";
  default:
    return NULL;
  }
}

void td_html_text(FILE *out, const char *text) {
  uint32_t c;
  while ((c = td_utf8_next(&text)) != 0) {
    const char *entity = entity_of(c);
    if (entity)
      fputs(entity, out);
    else
      td_utf8_put(td_utf8_is_plain(c) ? c : TD_UTF8_REPLACEMENT, out);
  }
}

void td_html_count(FILE *out, uint64_t count) {
  char digits[24];
  int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
  for (int i = 0; i < length; i++) {
    /* A narrow space that does not break. */
    if (i > 0 && (length - i) % 3 == 0) fputs("\u202f", out);
    fputc(digits[i], out);
  }
}

static void put_row(FILE *out, const struct td_grid *grid, size_t first, const char *tag) {
  fputs("<tr>", out);
  for (size_t column = 0; column < grid->columns; column++) {
    fprintf(out, "<%s%s>", tag, grid->right[column] ? "" : " class=\"left\"");
    td_html_text(out, grid->cells[first + column]);
    fprintf(out, "</%s>", tag);
  }
  fputs("</tr>\n", out);
}

static void put_table(FILE *out, const struct td_grid *grid) {
  fputs("<div class=\"wide\"><table>\n<thead>", out);
  put_row(out, grid, 0, "th");
  fputs("</thead><tbody>\n", out);
  for (size_t first = grid->columns; first < grid->cell_count; first += grid->columns) {
    if (td_grid_is_rule(grid->cells[first]))
      fputs("</tbody><tbody>\n", out);
    else
      put_row(out, grid, first, "td");
  }
  fputs("</tbody></table></div>\n", out);
}

bool td_html_table(FILE *out, struct td_grid *grid) {
  bool whole = !grid->failed;
  if (whole) put_table(out, grid);
  td_grid_free(grid);
  return whole;
}
