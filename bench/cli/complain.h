/* SPDX-License-Identifier: MIT */
/* Exit statuses, and how errors are told. */
#ifndef TD_BENCH_CLI_COMPLAIN_H
#define TD_BENCH_CLI_COMPLAIN_H

#include <stdbool.h>
#include <stdio.h>

enum td_exit {
  TD_EXIT_OK = 0,
  TD_EXIT_CHECK = 1,     /* a check failed */
  TD_EXIT_USAGE = 2,     /* the command line makes no sense */
  TD_EXIT_INPUT = 3,     /* an input file cannot be read or is damaged */
  TD_EXIT_RESOURCES = 4, /* memory, threads, disk or a helper program is missing */
};

/* Prints one line on stderr, "tidemark: …". Returns status, so that callers can return it. */
int td_complain(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints one line on stderr, "tidemark: note: …", about something that is no error. */
void td_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns where text for people goes, given the argument of --json (NULL: none): standard output,
 * or standard error when the JSON has standard output to itself. */
static inline FILE *td_human(const char *json_path) {
  return json_path && json_path[0] == '-' && json_path[1] == '\0' ? stderr : stdout;
}

#endif
