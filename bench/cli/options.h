/* SPDX-License-Identifier: MIT */
/* The options that several subcommands take: the same name, range and wording everywhere.
 *
 * Each function returns an option that stores its value in `target`. Where the meaning depends on
 * the command, `text` is what --help says of it. */
#ifndef TD_BENCH_CLI_OPTIONS_H
#define TD_BENCH_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/cli/args.h"

/* Of one graph, engine or number of markers, and of lists of them. */
struct td_option td_option_graph(struct td_words *target, const char *text);
struct td_option td_option_graphs(struct td_words *target, const char *text);
struct td_option td_option_engine(const char **target, const char *text);
struct td_option td_option_engines(struct td_words *target, const char *text);
struct td_option td_option_objects(struct td_words *target, const char *argument);
struct td_option td_option_markers(uint64_t *target, const char *text);
struct td_option td_option_marker_counts(struct td_numbers *target, const char *text);

struct td_option td_option_policy(const char **target);
struct td_option td_option_rounds(uint64_t *target, const char *text);
struct td_option td_option_run_ms(double *target, const char *text);
struct td_option td_option_check(bool *target);
struct td_option td_option_heap_max(uint64_t *target, const char *text); /* NULL: the usual text */
struct td_option td_option_json(const char **target, const char *text);
struct td_option td_option_plot(const char **target);
struct td_option td_option_report(const char **target);
struct td_option td_option_quiet(bool *target);

/* Options of one command only, in short. */
struct td_option td_option_number(const char *name, const char *argument, uint64_t *target,
                                  double min, double max, const char *text);
struct td_option td_option_real(const char *name, const char *argument, double *target, double min,
                                double max, const char *text);
struct td_option td_option_words(const char *name, const char *argument, struct td_words *target,
                                 const char *text);
struct td_option td_option_numbers(const char *name, const char *argument,
                                   struct td_numbers *target, double min, double max,
                                   const char *text);
struct td_option td_option_reals(const char *name, const char *argument, struct td_reals *target,
                                 double min, double max, const char *text);
struct td_option td_option_word(const char *name, const char *argument, const char **target,
                                const char *text);

#endif
