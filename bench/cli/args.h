/* SPDX-License-Identifier: MIT */
/* Command-line options, described by a table.
 *
 *   struct td_words engines = {0};
 *   uint64_t rounds = 5;
 *   const struct td_option options[] = {
 *       td_option_engines(&engines, "engines"),                        bench/cli/options.h
 *       {.name = "depth", .argument = "D", .text = "depth of the trees", .number = &depth,
 *        .min = 4, .max = 28},
 *   };
 *   const struct td_usage usage = {.command = "compare", .summary = "…", .options = options,
 *                                  .option_count = sizeof options / sizeof options[0]};
 *   int status = td_args_parse(&usage, argc, argv);
 *   if (status != TD_ARGS_GO_ON) return status;
 *
 * "--name VALUE" and "--name=VALUE" mean the same; -h is --help, -o is --output, -q is --quiet.
 * When an option is given twice, a list grows; anything else takes the last value. Numbers may end
 * in K, M or G (decimal), as 1.5M; sizes (is_bytes) in K, M, G or T (binary). Lists point into
 * argv, whose strings are cut at the separators. --help shows a number's value before parsing as
 * its default, unless it is 0. */
#ifndef TD_BENCH_CLI_ARGS_H
#define TD_BENCH_CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TD_ARGS_GO_ON (-1)
#define TD_LIST_MAX 64u

struct td_words {
  const char *at[TD_LIST_MAX];
  size_t count;
};
struct td_numbers {
  uint64_t at[TD_LIST_MAX];
  size_t count;
};
struct td_reals {
  double at[TD_LIST_MAX];
  size_t count;
};

/* Exactly one of the targets is set; min and max (inclusive) are for numbers. */
struct td_option {
  const char *name;     /* without the dashes */
  const char *argument; /* what --help calls its value; NULL for a flag */
  const char *text;
  bool *flag;
  const char **word;
  uint64_t *number;
  double *real;
  struct td_words *words;
  struct td_numbers *numbers;
  struct td_reals *reals;
  double min, max;
  char separator; /* of lists; 0 is ',' */
  bool is_bytes;
};

struct td_usage {
  const char *command;
  bool own_program;       /* tidemark-COMMAND, not a command of tidemark */
  const char *summary;    /* what the command does; may have several lines */
  const char *positional; /* what --help calls the words without an option; NULL: none allowed */
  struct td_words *words; /* they go here */
  size_t words_min, words_max;
  const struct td_option *options;
  size_t option_count;
  const char *details;              /* printed after the options; NULL: nothing */
  void (*print_details)(FILE *out); /* printed last; NULL: nothing */
};

/* Returns TD_ARGS_GO_ON, or the exit status to return at once (help printed: 0; an error said: 2).
 */
int td_args_parse(const struct td_usage *usage, int argc, char **argv);

/* Says that there is no such thing and which there are: name_at gives their names by index from 0,
 * NULL past the last. Returns an exit status. */
int td_args_no_such(const char *command, const char *what, const char *name,
                    const char *(*name_at)(size_t index));

/* Reads a number with an optional suffix, as in options. Returns whether all of text was one. */
bool td_parse_number(const char *text, bool is_bytes, uint64_t *value);

#endif
