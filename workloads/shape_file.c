/* SPDX-License-Identifier: MIT */
/* A graph from a file. */
#include "workloads/recorded.h"

static bool build_file(struct td_graph_builder *builder) {
  struct td_thg graph = {0};
  if (!td_graph_read(builder->spec, &graph, builder->error)) return false;
  bool built =
      td_graph_build_thg(&graph, builder->name, builder->sink, &builder->built, builder->error);
  td_thg_free(&graph);
  return built;
}

const struct td_graph_kind td_graph_file = {
    .name = "file",
    .meaning = "a recorded graph (.thg), sizes and references as in the heap dump",
    .build = build_file,
};
