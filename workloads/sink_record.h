/* SPDX-License-Identifier: MIT */
/* A graph sink that records what is built as a recorded graph, without any heap.
 *
 *   struct td_graph_recorder *recorder = td_graph_recorder_new();
 *   struct td_graph_sink sink;
 *   td_graph_recorder_sink(recorder, &sink);
 *   if (td_graph_build(&spec, &sink, NULL, &error)) td_graph_recorder_take(recorder, &thg);
 *   td_graph_recorder_free(recorder);
 *
 * Objects are numbered in the order of allocation. */
#ifndef TD_WORKLOADS_SINK_RECORD_H
#define TD_WORKLOADS_SINK_RECORD_H

#include "workloads/graph.h"

struct td_graph_recorder;

/* NULL when there is no memory. */
struct td_graph_recorder *td_graph_recorder_new(void);
void td_graph_recorder_free(struct td_graph_recorder *recorder);

void td_graph_recorder_sink(struct td_graph_recorder *recorder, struct td_graph_sink *sink);

/* Moves what was recorded into *graph (freed by td_thg_free) and leaves the recorder empty. */
void td_graph_recorder_take(struct td_graph_recorder *recorder, struct td_thg *graph);

/* The graph of any spec: a `file` spec's file is read, any other graph is built and recorded.
 * On failure *graph is empty. */
bool td_graph_record(const struct td_graph_spec *spec, struct td_thg *graph,
                     struct td_graph_error *error);

#endif
