/* SPDX-License-Identifier: MIT */
/* Graphs on a Tidemark heap: the collector finds just what was built. */
#include "workloads/sink_tide.h"

#include "tests/unit/gc/common.h"
#include "tests/unit/workloads/recorded.h"

struct place {
  struct world w;
  struct td_graph_tide *graph;
  struct td_graph_sink sink;
};

static struct place make_place(size_t heap_max_bytes, size_t heap_initial_bytes) {
  struct place place = {
      .w = WORLD(.heap_max_bytes = heap_max_bytes, .heap_initial_bytes = heap_initial_bytes)};
  place.graph = td_graph_tide_new(place.w.heap, place.w.m);
  cr_assert_not_null(place.graph);
  td_graph_tide_sink(place.graph, &place.sink);
  return place;
}

static struct tide_check collect(struct place *place) {
  struct tide_check check;
  cr_assert_eq(tide_collect(place->w.m), TIDE_OK);
  cr_assert_eq(tide_check_marks(place->w.m, &check), TIDE_OK);
  cr_expect(check.equal, "%s", check.difference);
  return check;
}

/* Frees the graph and expects the next collection to find nothing. */
static void leave(struct place *place) {
  td_graph_tide_free(place->graph);
  cr_expect_eq(collect(place).objects, 0);
  world_end(&place->w);
}

static void expect_graph(const char *text, size_t heap_initial_bytes, bool collected_meanwhile) {
  SCOPED_SPEC spec = parse_spec(text);
  SCOPED_GRAPH recorded = record(text);
  struct reached reached = reach(&recorded);
  struct place place = make_place(0, heap_initial_bytes);
  struct td_graph_error error = {0};
  cr_assert(td_graph_build(&spec, &place.sink, NULL, &error), "%s", error.text);
  struct tide_heap_stats stats;
  tide_heap_stats(place.w.heap, &stats);
  cr_expect(!collected_meanwhile || stats.collections > 0, "%s: no collection", text);
  struct tide_check check = collect(&place);
  cr_expect_eq(check.objects, reached.objects, "%s: %llu objects", text,
               (unsigned long long)check.objects);
  cr_expect_eq(check.edges, reached.edges, "%s: %llu edges", text, (unsigned long long)check.edges);
  leave(&place);
}

/* Large ones are marking/graphs.c's. */
Test(sink_tide, collector_finds_what_was_built) {
  for (size_t i = 0; i < EVERY_GRAPH; i++)
    expect_graph(every_graph[i], 0, false);
}

Test(sink_tide, collections_while_building_lose_nothing, .timeout = 120) {
  expect_graph("tree:depth=17,order=shuffled", 1 << 20, true);
  expect_graph("map:entries=100K", 1 << 20, true);
  expect_graph("ast:files=20,nodes=20K,names=500", 1 << 20, true);
}

/* A collection at every few allocations. */
Test(sink_tide, stress, .timeout = 120) {
  setenv("TIDE_STRESS", "50", 1);
  expect_graph("comb:teeth=30,length=20", 0, true);
  expect_graph("lists:count=10,length=100", 0, true);
  expect_graph("ast:files=2,nodes=1K,names=50", 0, true);
}

Test(sink_tide, too_small_a_heap_is_told, .timeout = 120) {
  SCOPED_SPEC spec = parse_spec("tree:depth=20");
  struct place place = make_place(8 << 20, 0);
  struct td_graph_error error = {0};
  cr_assert_not(td_graph_build(&spec, &place.sink, NULL, &error));
  cr_expect_eq(error.status, TD_GRAPH_NO_RESOURCES);
  cr_expect_not_null(strstr(error.text, "tree:depth=20"), "%s", error.text);
  cr_expect_not_null(strstr(error.text, "no memory after"), "%s", error.text);
  leave(&place);
}

Test(sink_tide, two_graphs_on_one_heap) {
  SCOPED_SPEC tree = parse_spec("tree:depth=8"), list = parse_spec("list:length=100");
  struct place place = make_place(0, 0);
  struct td_graph_error error;
  cr_assert(td_graph_build(&tree, &place.sink, NULL, &error));
  cr_assert(td_graph_build(&list, &place.sink, NULL, &error));
  cr_expect_eq(collect(&place).objects, 511 + 100);
  leave(&place);
}

static void keep_progress(void *context, uint64_t done, uint64_t total) {
  uint64_t *last = context;
  cr_expect(done >= last[0] && done <= total);
  last[0] = done;
  last[1] = total;
}

Test(sink_tide, progress_ends_at_the_end) {
  SCOPED_SPEC spec = parse_spec("tree:depth=16");
  struct place place = make_place(0, 0);
  uint64_t last[2] = {0, 0};
  td_graph_tide_progress(place.graph, keep_progress, last);
  td_graph_tide_sink(place.graph, &place.sink);
  cr_assert(td_graph_build(&spec, &place.sink, NULL, NULL));
  cr_expect_eq(last[0], 2 * 131071);
  cr_expect_eq(last[1], 2 * 131071);
  leave(&place);
}

Test(sink_tide, null_is_freed) {
  td_graph_tide_free(NULL);
}
