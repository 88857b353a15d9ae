/* The builder: what every graph needs around its own definition. */
#include "workloads/graph.h"

#include <stdlib.h>
#include <unistd.h>

#include "workloads/shape.h"

bool td_build_fits(const char *name, uint64_t bytes, struct td_graph_error *error) {
  long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return true;
  uint64_t memory = td_plan_multiply((uint64_t)pages, (uint64_t)page_bytes);
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

uint32_t *td_random_permutation(struct td_random *random, uint64_t count) {
  uint32_t *order = malloc((count + (count == 0)) * sizeof *order);
  if (order == NULL) return NULL;
  for (uint64_t i = 0; i < count; i++)
    order[i] = (uint32_t)i;
  for (uint64_t i = count; i-- > 1;) {
    uint32_t j = td_random_below(random, i + 1), kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
  return order;
}

/* Runs the definition with a table for that many objects. */
static bool build(struct td_graph_builder *builder, bool (*definition)(struct td_graph_builder *),
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

bool td_graph_build_thg(const struct td_thg *graph, const char *name,
                        const struct td_graph_sink *sink, struct td_graph_built *built,
                        struct td_graph_error *error) {
  struct td_graph_builder builder = {.recorded = graph, .name = name, .sink = sink, .error = error};
  bool done = build(&builder, td_build_recorded, graph->object_count);
  if (built != NULL) *built = builder.built;
  return done;
}

bool td_graph_build(const struct td_graph_spec *spec, const struct td_graph_sink *sink,
                    struct td_graph_built *built, struct td_graph_error *error) {
  struct td_graph_plan plan;
  td_graph_plan(spec, &plan);
  if (built != NULL) *built = (struct td_graph_built){0};
  uint64_t table_bytes = td_plan_multiply(plan.objects, sizeof(void *));
  if (!td_build_fits(spec->text, td_plan_add(plan.bytes, table_bytes), error)) return false;
  struct td_graph_builder builder = {
      .spec = spec, .name = spec->text, .sink = sink, .error = error};
  /* A file's size is known once it is read: its definition comes back by td_graph_build_thg. */
  bool done =
      plan.known ? build(&builder, spec->kind->build, plan.objects) : spec->kind->build(&builder);
  if (built != NULL) *built = builder.built;
  return done;
}
