/* Output files that appear whole or not at all.
 *
 * A file is written under a temporary name beside its place and renamed at the end, so that
 * whatever goes wrong in between leaves nothing half-written. "-" is standard output. */
#ifndef TD_BENCH_CLI_OUTPUT_H
#define TD_BENCH_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct td_output {
  FILE *file;
  char *path; /* NULL: standard output */
  char *temporary;
};

/* All three say what went wrong on stderr and return an exit status (0: fine). */
int td_output_open(struct td_output *output, const char *path);
/* Flush, close, rename into place. The output is closed whatever is returned. */
int td_output_commit(struct td_output *output);
/* Close and remove. An all-zero output is ignored. */
void td_output_discard(struct td_output *output);

/* Can a file be made there? Asked before long work, so that a wrong path is found at once.
 * NULL and "-" are fine. */
int td_output_check(const char *path);

#endif
