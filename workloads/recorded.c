/* SPDX-License-Identifier: MIT */
#include "workloads/recorded.h"

#include <stdlib.h>

#include "workloads/thg_read.h"

static bool alloc_recorded(struct td_graph_builder *builder, const uint32_t *number) {
  const struct td_thg *graph = builder->recorded;
  for (uint32_t i = 0; i < graph->object_count; i++)
    if (!td_build_alloc(builder, number[graph->shape_of[i]], graph->size[i])) return false;
  return true;
}

/* Index of the next set bit at or after `at`; the caller knows that there is one. */
static uint64_t next_bit(const uint64_t *bitmap, uint64_t at) {
  uint64_t word = at / 64, rest = bitmap[word] & (UINT64_MAX << (at % 64));
  while (rest == 0)
    rest = bitmap[++word];
  return word * 64 + (uint64_t)__builtin_ctzll(rest);
}

static void link_object(struct td_graph_builder *builder, uint32_t index) {
  const struct td_thg *graph = builder->recorded;
  const struct td_thg_shape *shape = &graph->shapes[graph->shape_of[index]];
  uint64_t slot = shape->kind == TD_THG_PREFIX ? shape->prefix_words : 0;
  for (uint64_t r = graph->first_ref[index]; r < graph->first_ref[index + 1]; r++, slot++) {
    if (shape->kind == TD_THG_BITMAP) slot = next_bit(shape->bitmap, slot);
    if (graph->refs[r] != TD_THG_NULL) td_build_link(builder, index, slot, graph->refs[r]);
  }
  td_build_step(builder);
}

/* The table has room for all objects of the graph. */
static bool build_objects(struct td_graph_builder *builder) {
  const struct td_thg *graph = builder->recorded;
  uint32_t *number = malloc((graph->shape_count + 1) * sizeof *number);
  if (number == NULL) return td_build_no_memory(builder);
  bool built = true;
  for (uint32_t s = 0; built && s < graph->shape_count; s++)
    built = td_build_shape(builder, &graph->shapes[s], &number[s]);
  built = built && alloc_recorded(builder, number);
  free(number);
  if (!built) return false;
  for (uint32_t i = 0; i < graph->object_count; i++)
    link_object(builder, i);
  for (uint32_t r = 0; r < graph->root_count; r++)
    if (!td_build_root(builder, graph->roots[r])) return false;
  return true;
}

bool td_graph_build_thg(const struct td_thg *graph, const char *name,
                        const struct td_graph_sink *sink, struct td_graph_built *built,
                        struct td_graph_error *error) {
  struct td_graph_builder builder = {.recorded = graph, .name = name, .sink = sink, .error = error};
  bool done = td_build_run(&builder, build_objects, graph->object_count);
  if (built != NULL) *built = builder.built;
  return done;
}

bool td_graph_read(const struct td_graph_spec *spec, struct td_thg *graph,
                   struct td_graph_error *error) {
  struct td_thg_error fault = {0};
  if (td_thg_read(spec->path, graph, &fault)) return true;
  bool resources = fault.kind == TD_THG_NO_RESOURCES;
  return td_graph_fail(error, resources ? TD_GRAPH_NO_RESOURCES : TD_GRAPH_BAD_FILE, "%s",
                       fault.text);
}
