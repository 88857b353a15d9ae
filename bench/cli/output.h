/* SPDX-License-Identifier: MIT */
/* Output files that appear whole or not at all.
 *
 * A file is written under a temporary name beside its final one and renamed at the end, so that
 * whatever goes wrong in between, a signal included, leaves nothing half-written. "-" is standard
 * output. */
#ifndef TD_BENCH_CLI_OUTPUT_H
#define TD_BENCH_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct td_output {
  FILE *file;
  char *path; /* NULL: standard output */
  char *temporary;
};

/* Functions that return an int say what went wrong on stderr and return an exit status, 0 if all
 * is well. */

int td_output_open(struct td_output *output, const char *path);
/* Flushes, closes, renames. The output is closed whatever is returned. */
int td_output_commit(struct td_output *output);
/* Closes and removes. An all-zero output is ignored. */
void td_output_discard(struct td_output *output);

/* An option that names a file to write. */
struct td_output_option {
  const char *name; /* of the option, without dashes */
  const char *path; /* NULL: not given */
  bool may_be_stdout;
};

/* Asked before long work, so that a wrong path is found at once: can each file be made, and are
 * all of them different, however their paths are spelled? */
int td_outputs_check(const char *command, const struct td_output_option *options, size_t count);

/* The last thing a program does: what it printed must have arrived, because a full disk or a closed
 * pipe is an error too. Returns the exit status, given what it would be otherwise. */
int td_stdout_close(int status);

#endif
