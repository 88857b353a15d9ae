/* SPDX-License-Identifier: MIT */
/* Building the heap graph of a spec on any collector.
 *
 * The builder knows graphs, the sink knows a collector: the same sequence of calls builds the
 * same graph everywhere.  All objects are allocated in index order first, then linked, then
 * rooted; docs/graphs.md defines each graph. */
#ifndef TD_WORKLOADS_GRAPH_H
#define TD_WORKLOADS_GRAPH_H

#include "workloads/recorded.h"
#include "workloads/spec.h"

/* Builds the graph.  built may be NULL.  On failure the sink may hold some objects and some
 * roots, but not the graph: throw it away. */
bool td_graph_build(const struct td_graph_spec *spec, const struct td_graph_sink *sink,
                    struct td_graph_built *built, struct td_graph_error *error);

#endif
