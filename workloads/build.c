/* SPDX-License-Identifier: MIT */
#include "workloads/build.h"

#include "platform/platform.h"

bool td_build_fits(const char *name, uint64_t bytes, struct td_graph_error *error) {
  uint64_t memory = td_plat_memory_bytes();
  if (bytes <= memory) return true;
  return td_graph_fail(error, TD_GRAPH_NO_RESOURCES,
                       "graph '%.300s' needs %.1f GB of memory, this machine has %.1f GB", name,
                       (double)bytes / 1e9, (double)memory / 1e9);
}

bool td_build_no_memory(struct td_graph_builder *builder) {
  const struct td_graph_sink *sink = builder->sink;
  const char *reason = sink->reason == NULL ? NULL : sink->reason(sink->context);
  return td_graph_fail(
      builder->error, TD_GRAPH_NO_RESOURCES,
      "graph '%.300s': no memory after %llu of %llu objects (%llu bytes): %s", builder->name,
      (unsigned long long)builder->built.objects, (unsigned long long)builder->capacity,
      (unsigned long long)builder->built.bytes, reason == NULL ? "out of memory" : reason);
}

void td_build_tick(struct td_graph_builder *builder) {
  const struct td_graph_sink *sink = builder->sink;
  uint64_t done = builder->done < builder->total ? builder->done : builder->total;
  if (sink->progress != NULL) sink->progress(sink->context, done, builder->total);
}

bool td_build_shape(struct td_graph_builder *builder, const struct td_thg_shape *shape,
                    uint32_t *number) {
  const struct td_graph_sink *sink = builder->sink;
  *number = sink->shape(sink->context, shape);
  if (*number != TD_GRAPH_SHAPE_NONE) return true;
  const char *reason = sink->reason == NULL ? NULL : sink->reason(sink->context);
  return td_graph_fail(builder->error, TD_GRAPH_NO_RESOURCES,
                       "graph '%.300s': the collector takes no more object shapes: %s",
                       builder->name, reason == NULL ? "limit reached" : reason);
}

bool td_build_leaf(struct td_graph_builder *builder, uint32_t *number) {
  return td_build_shape(builder, &(struct td_thg_shape){.kind = TD_THG_LEAF}, number);
}

bool td_build_bitmap(struct td_graph_builder *builder, uint64_t bits, uint32_t *number) {
  struct td_thg_shape shape = {.kind = TD_THG_BITMAP, .bitmap_words = 1, .bitmap = &bits};
  return td_build_shape(builder, &shape, number);
}

bool td_build_prefix(struct td_graph_builder *builder, uint32_t prefix, uint32_t *number) {
  struct td_thg_shape shape = {.kind = TD_THG_PREFIX, .prefix_words = prefix};
  return td_build_shape(builder, &shape, number);
}

bool td_build_root(struct td_graph_builder *builder, uint64_t index) {
  const struct td_graph_sink *sink = builder->sink;
  if (!sink->root(sink->context, builder->object[index])) return td_build_no_memory(builder);
  builder->built.roots++;
  return true;
}

bool td_build_run(struct td_graph_builder *builder, bool (*definition)(struct td_graph_builder *),
                  uint64_t objects) {
  const struct td_graph_sink *sink = builder->sink;
  builder->capacity = objects;
  builder->total = 2 * objects;
  size_t slots = objects + (objects == 0);
  builder->object = sink->table_new(sink->context, slots);
  if (builder->object == NULL) return td_build_no_memory(builder);
  bool built = definition(builder);
  sink->table_free(sink->context, builder->object, slots);
  if (built) {
    builder->done = builder->total;
    td_build_tick(builder);
  }
  return built;
}
