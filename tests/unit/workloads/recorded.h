/* SPDX-License-Identifier: MIT */
/* What the tests of graphs share: record a spec, look at the record. */
#ifndef TD_TESTS_UNIT_WORKLOADS_RECORDED_H
#define TD_TESTS_UNIT_WORKLOADS_RECORDED_H

#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/scoped.h"
#include "workloads/sink_record.h"

/* One of every kind. */
static const __attribute__((unused)) char *const every_graph[] = {
    "tree:depth=5,order=shuffled",   "forest:trees=20,depth=2",
    "random:objects=90,degree=3",    "list:length=90,order=shuffled",
    "lists:count=9,length=10",       "comb:teeth=9,length=9",
    "star:arms=30,length=3",         "wide:leaves=90",
    "array:slots=90,targets=7",      "map:entries=30",
    "dag:layers=5,width=9,degree=3", "ast:files=3,nodes=90,names=9",
    "records:length=40,fields=2",    "clustered:objects=90,degree=3,local=80",
    "powerlaw:objects=90,degree=3",
};
#define EVERY_GRAPH (sizeof every_graph / sizeof *every_graph)

static inline struct td_graph_spec parse_spec(const char *text) {
  struct td_graph_spec spec;
  struct td_graph_error error = {0};
  cr_assert(td_graph_spec_parse(text, &spec, &error), "%s", error.text);
  return spec;
}

static inline struct td_thg record(const char *text) {
  SCOPED_SPEC spec = parse_spec(text);
  struct td_graph_error error = {0};
  struct td_thg graph;
  cr_assert(td_graph_record(&spec, &graph, &error), "%s", error.text);
  struct td_thg_error fault = {0};
  cr_assert(td_thg_check(&graph, &fault), "%s: %s", text, fault.text);
  return graph;
}

/* Reference `slot` (nulls counted) of an object. */
static inline uint32_t ref(const struct td_thg *graph, uint64_t object, uint64_t slot) {
  cr_assert_lt(object, graph->object_count);
  cr_assert_lt(graph->first_ref[object] + slot, graph->first_ref[object + 1]);
  return graph->refs[graph->first_ref[object] + slot];
}

static inline uint64_t slot_count(const struct td_thg *graph, uint64_t object) {
  return graph->first_ref[object + 1] - graph->first_ref[object];
}

struct reached {
  uint64_t objects, edges;
};

/* Objects that the roots reach and the references that these hold, the plainest way. */
static inline struct reached reach(const struct td_thg *graph) {
  struct reached reached = {0, 0};
  FREED char *seen = calloc(graph->object_count + 1u, 1);
  FREED uint32_t *stack = malloc((graph->ref_count + graph->root_count + 1) * sizeof *stack);
  size_t used = 0;
  for (uint32_t r = 0; r < graph->root_count; r++)
    stack[used++] = graph->roots[r];
  while (used != 0) {
    uint32_t object = stack[--used];
    if (seen[object]) continue;
    seen[object] = 1;
    reached.objects++;
    for (uint64_t slot = 0; slot < slot_count(graph, object); slot++)
      if (ref(graph, object, slot) != TD_THG_NULL) {
        reached.edges++;
        stack[used++] = ref(graph, object, slot);
      }
  }
  return reached;
}

#endif
