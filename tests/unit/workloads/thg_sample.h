/* SPDX-License-Identifier: MIT */
/* A small recorded graph with everything a graph can have, for several tests. */
#ifndef TD_TESTS_UNIT_WORKLOADS_THG_SAMPLE_H
#define TD_TESTS_UNIT_WORKLOADS_THG_SAMPLE_H

#include "tests/unit/workloads/dump.h"
#include "workloads/thg_read.h"

enum { SAMPLE_OBJECTS = 40, SAMPLE_SHAPES = 5 };

static inline uint64_t *new_bitmap(uint64_t low, uint64_t high) {
  uint64_t *bitmap = malloc(2 * sizeof *bitmap);
  bitmap[0] = low;
  bitmap[1] = high;
  return bitmap;
}

/* Objects take the shapes in turn; references go all over, every fifth is null. */
static inline struct td_thg sample_graph(void) {
  struct td_thg graph = {.object_count = SAMPLE_OBJECTS, .shape_count = SAMPLE_SHAPES};
  graph.shapes = calloc(SAMPLE_SHAPES, sizeof *graph.shapes);
  graph.shapes[1] = (struct td_thg_shape){
      .kind = TD_THG_BITMAP, .bitmap_words = 1, .bitmap = new_bitmap(0x16, 0)};
  graph.shapes[2] = (struct td_thg_shape){
      .kind = TD_THG_BITMAP, .bitmap_words = 2, .bitmap = new_bitmap(1, UINT64_C(1) << 63)};
  graph.shapes[3] = (struct td_thg_shape){.kind = TD_THG_PREFIX};
  graph.shapes[4] = (struct td_thg_shape){.kind = TD_THG_PREFIX, .prefix_words = 3};
  graph.shape_of = calloc(SAMPLE_OBJECTS, sizeof *graph.shape_of);
  graph.size = calloc(SAMPLE_OBJECTS, sizeof *graph.size);
  graph.first_ref = calloc(SAMPLE_OBJECTS + 1, sizeof *graph.first_ref);
  for (uint32_t i = 0; i < SAMPLE_OBJECTS; i++) {
    const uint64_t sizes[SAMPLE_SHAPES] = {1 + i * 3, 40, 1024, i * 8, 24 + i * 8};
    graph.shape_of[i] = i % SAMPLE_SHAPES;
    graph.size[i] = sizes[i % SAMPLE_SHAPES];
    graph.first_ref[i + 1] =
        graph.first_ref[i] + td_thg_slots(&graph.shapes[i % SAMPLE_SHAPES], graph.size[i]);
  }
  graph.ref_count = graph.first_ref[SAMPLE_OBJECTS];
  graph.refs = calloc(graph.ref_count, sizeof *graph.refs);
  for (uint64_t r = 0; r < graph.ref_count; r++)
    graph.refs[r] = r % 5 == 4 ? TD_THG_NULL : (uint32_t)(r * r % SAMPLE_OBJECTS);
  graph.root_count = 4;
  graph.roots = calloc(graph.root_count, sizeof *graph.roots);
  graph.roots[0] = SAMPLE_OBJECTS - 1;
  graph.roots[1] = graph.roots[2] = 3; /* twice, as dumps do */
  graph.about = strdup("a sample");
  return graph;
}

/* The bytes of a graph's file. */
static inline struct bytes file_bytes(const struct td_thg *graph) {
  SCOPED_PLACE place = make_place("graph.thg");
  struct td_thg_error error = {0};
  cr_assert(td_thg_write(place.path, graph, NULL, &error), "%s", error.text);
  struct bytes bytes = read_whole(place.path);
  cr_assert_eq(count_files(place.folder), 1, "more than the file was left behind");
  return bytes;
}

#endif
