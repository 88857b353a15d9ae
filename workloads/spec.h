/* SPDX-License-Identifier: MIT */
/* Graph specs: the text `name:key=value,…` that says which heap graph to build.
 *
 * A spec names one of the graphs in catalogue.h; keys left out have the table's defaults.
 * Numbers are decimal, with a decimal suffix K, M or G if wanted.  `file:PATH` takes the rest of
 * the text as a path.  docs/graphs.md defines every graph. */
#ifndef TD_WORKLOADS_SPEC_H
#define TD_WORKLOADS_SPEC_H

#include <stdio.h>

#include "workloads/catalogue.h"

#define TD_GRAPH_SPEC_BYTES_MAX 4096u

/* Parses one spec.  On success fills *spec, to be freed by td_graph_spec_free.  On failure *spec
 * is empty and *error says why.  Does not look for the file of `file:`. */
bool td_graph_spec_parse(const char *text, struct td_graph_spec *spec,
                         struct td_graph_error *error);

/* Parses specs separated by `;` into a new array, at least one; freed by td_graph_specs_free. */
bool td_graph_specs_parse(const char *text, struct td_graph_spec **specs, size_t *count,
                          struct td_graph_error *error);

/* Frees what the spec holds and makes it empty.  NULL and an all-zero spec are fine. */
void td_graph_spec_free(struct td_graph_spec *spec);
void td_graph_specs_free(struct td_graph_spec *specs, size_t count);

/* Prints the table for --help: name, keys, defaults, ranges, meaning. */
void td_graph_print_help(FILE *out);

#endif
