/* SPDX-License-Identifier: MIT */
/* The graphs that a command line asks for. */
#ifndef TD_BENCH_SUBJECT_GRAPHS_H
#define TD_BENCH_SUBJECT_GRAPHS_H

#include <stddef.h>
#include <stdint.h>

#include "bench/cli/args.h"
#include "workloads/spec.h"

/* Parses the specs into a new array (td_graph_specs_free) and sees that files can be read. Where a
 * file was named in the wrong way, the error says what to write instead. Returns 0, or an exit
 * status after saying why. */
int td_graphs_parse(const struct td_words *words, struct td_graph_spec **specs, size_t *count);

/* Sets the graphs that are used if none are named: the real heaps, as far as they are found beside
 * the program, and one graph of each well-known synthetic kind. The words live as long as the
 * program. */
void td_graphs_default(struct td_words *words);

#endif
