/* SPDX-License-Identifier: MIT */
/* Recorded graphs: what a heap dump said, built again. */
#ifndef TD_WORKLOADS_RECORDED_H
#define TD_WORKLOADS_RECORDED_H

#include "workloads/build.h"

/* Reads the recorded graph of a `file` spec; freed by td_thg_free. */
bool td_graph_read(const struct td_graph_spec *spec, struct td_thg *graph,
                   struct td_graph_error *error);

/* Builds a recorded graph that is in memory already.  name stands in for the spec in messages. */
bool td_graph_build_thg(const struct td_thg *graph, const char *name,
                        const struct td_graph_sink *sink, struct td_graph_built *built,
                        struct td_graph_error *error);

#endif
