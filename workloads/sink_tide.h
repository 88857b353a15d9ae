/* SPDX-License-Identifier: MIT */
/* A graph sink for a Tidemark heap, through the public API only.
 *
 *   struct td_graph_tide *graph = td_graph_tide_new(heap, mutator);
 *   struct td_graph_sink sink;
 *   td_graph_tide_sink(graph, &sink);
 *   if (!td_graph_build(&spec, &sink, NULL, &error)) …
 *   …                                  the graph is live
 *   td_graph_tide_free(graph);         its roots are gone; the next collection takes it
 *
 * The mutator may be attached with a precise stack: nothing is kept in locals across an
 * allocation.  Threads: the mutator's. */
#ifndef TD_WORKLOADS_SINK_TIDE_H
#define TD_WORKLOADS_SINK_TIDE_H

#include "tide/tide.h"
#include "workloads/graph.h"

struct td_graph_tide;

/* NULL when there is no memory.  Free it before the heap is destroyed. */
struct td_graph_tide *td_graph_tide_new(struct tide_heap *heap, struct tide_mutator *mutator);
void td_graph_tide_free(struct td_graph_tide *graph);

/* Fills *sink, which is valid while the graph is. */
void td_graph_tide_sink(struct td_graph_tide *graph, struct td_graph_sink *sink);

/* Has all objects that can hold references scanned word by word, whatever their shape; those
 * without references stay leaves. Call it before td_graph_tide_sink. */
void td_graph_tide_be_conservative(struct td_graph_tide *graph);

/* Has the building's progress reported; NULL ends that.  Call it before td_graph_tide_sink. */
void td_graph_tide_progress(struct td_graph_tide *graph,
                            void (*progress)(void *context, uint64_t done, uint64_t total),
                            void *context);

#endif
