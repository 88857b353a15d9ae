/* SPDX-License-Identifier: MIT */
/* The page being written, and what its parts share. */
#ifndef TD_BENCH_REPORT_PAGE_H
#define TD_BENCH_REPORT_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/marking/comparison.h"

struct td_page {
  FILE *out;
  const struct td_comparison *comparison;
  bool failed; /* memory ran out: a part is missing, and the page must not be published */
};

/* Returns memory set to zero, or NULL after noting the failure. */
void *td_page_memory(struct td_page *page, size_t count, size_t bytes);

unsigned td_page_most_markers(const struct td_page *page);

/* Returns the colour of an engine. */
const char *td_page_colour(const struct td_page *page, const char *engine);

/* Writes the colours and their engines. */
void td_page_key(const struct td_page *page);

#endif
