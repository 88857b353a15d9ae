/* SPDX-License-Identifier: MIT */
/* Text in HTML, SVG included. */
#ifndef TD_BENCH_REPORT_HTML_H
#define TD_BENCH_REPORT_HTML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/cli/grid.h"

/* Writes any text: the five characters that mean something in HTML are replaced, and what cannot
 * stand in HTML or is no UTF-8 becomes U+FFFD. */
void td_html_text(FILE *out, const char *text);

/* Writes 1234567 as 1 234 567. */
void td_html_count(FILE *out, uint64_t count);

/* Writes a table and frees it; a line across begins another body of it. Returns false if memory had
 * run out: then nothing is written. */
bool td_html_table(FILE *out, struct td_grid *grid);

/* Returns the ending of a noun that is counted: "" or "s". */
static inline const char *td_plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

#endif
