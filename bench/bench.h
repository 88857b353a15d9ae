/* The tidemark program: subcommands and what they share.
 *
 * Adding a subcommand NAME
 *   1. Write bench/NAME.c with  int td_command_NAME(int argc, char **argv);  argv[0] is NAME. It
 *      returns an exit status (enum td_exit) and never calls exit().
 *   2. Declare it below and add one line to the table in bench/main.c. The build picks up every
 *      C file of bench/ except NAME_child….c, which belong to programs of their own that the
 *      program starts (bench/NAME.cmake builds them).
 *
 * What to use inside
 *   bench/args.h     options described by a table: ranges, lists, --help, clear errors
 *   bench/output.h   files that appear whole or not at all; "-" is standard output
 *   bench/json.h     JSON writer
 *   bench/host.h     what machine this is, as text and as the "host" object of the JSON
 *   bench/progress.h progress line on a terminal, for anything over a second
 *   bench/samples.h  median, minimum, maximum, ratios taken pairwise
 *   bench/grid.h     aligned text tables
 *   bench/plot.h     bar and line charts, SVG or PNG, through gnuplot
 * Human text goes where td_human() says: standard output, or standard error when JSON has
 * standard output to itself. Errors: one line through td_complain. */
#ifndef TD_BENCH_BENCH_H
#define TD_BENCH_BENCH_H

#include <stdbool.h>
#include <stdio.h>

enum td_exit {
  TD_EXIT_OK = 0,
  TD_EXIT_CHECK = 1,     /* a check failed */
  TD_EXIT_USAGE = 2,     /* the command line makes no sense */
  TD_EXIT_INPUT = 3,     /* an input file cannot be read or is damaged */
  TD_EXIT_RESOURCES = 4, /* memory, threads, disk or a helper program is missing */
};

struct td_command {
  const char *name;
  const char *text; /* one line, no full stop */
  int (*run)(int argc, char **argv);
};

/* One line on stderr, "tidemark: …"; returns status, so that callers can return it. */
int td_complain(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Where text for people goes, given the argument of --json (NULL: none). */
static inline FILE *td_human(const char *json_path) {
  return json_path && json_path[0] == '-' && json_path[1] == '\0' ? stderr : stdout;
}

int td_command_compare(int argc, char **argv);
int td_command_mark(int argc, char **argv);
int td_command_queue(int argc, char **argv);
int td_command_limit(int argc, char **argv);
int td_command_graph(int argc, char **argv);
int td_command_import(int argc, char **argv);
int td_command_gcbench(int argc, char **argv);
int td_command_engines(int argc, char **argv);

#endif
