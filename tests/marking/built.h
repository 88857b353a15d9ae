/* SPDX-License-Identifier: MIT */
/* A graph of the table on a rig's heap, for marking drivers. */
#ifndef TD_TESTS_MARKING_BUILT_H
#define TD_TESTS_MARKING_BUILT_H

#include "tests/marking/rig.h"
#include "workloads/graph.h"
#include "workloads/sink_tide.h"

static inline struct td_graph_spec rig_spec(const char *text) {
  struct td_graph_spec spec;
  struct td_graph_error error;
  CHECK(td_graph_spec_parse(text, &spec, &error));
  return spec;
}

static inline struct td_graph_tide *rig_build(struct rig *r, const struct td_graph_spec *spec,
                                              bool conservative) {
  struct td_graph_error error;
  struct td_graph_sink sink;
  struct td_graph_tide *graph = td_graph_tide_new(r->heap, r->m);
  CHECK(graph);
  if (conservative) td_graph_tide_be_conservative(graph);
  td_graph_tide_sink(graph, &sink);
  bool built = td_graph_build(spec, &sink, NULL, &error);
  if (!built) fprintf(stderr, "%s\n", error.text);
  CHECK(built);
  return graph;
}

#endif
