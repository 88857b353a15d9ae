/* SPDX-License-Identifier: MIT */
/* What a misspelt word may have meant. */
#ifndef TD_BENCH_CLI_NEAREST_H
#define TD_BENCH_CLI_NEAREST_H

#include <stddef.h>

struct td_nearest {
  const char *word; /* as it was given */
  const char *name; /* the nearest so far, or NULL */
  size_t distance;
};

/* Compares the word with a name that there is. */
void td_nearest_offer(struct td_nearest *nearest, const char *name);

/* Returns " (did you mean 'NAME'?)", or "" if no name is near, in a buffer of the function's. */
const char *td_nearest_question(const struct td_nearest *nearest);

#endif
