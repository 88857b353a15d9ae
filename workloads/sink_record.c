/* SPDX-License-Identifier: MIT */
/* Recording what a builder does.
 *
 * The k-th object is handed out as the pointer k + 1: a token, never memory.  The shape and size
 * of an object say how many reference slots it has, so its slots are laid out when it is
 * allocated, and a store finds its place by counting the slots before it. */
#include "workloads/sink_record.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/build.h"

struct td_graph_recorder {
  struct td_thg graph; /* first_ref[object_count] is kept up to date */
  uint64_t object_capacity, ref_capacity, root_capacity;
};

/* ---- Growing arrays -------------------------------------------------------------------- */

/* Makes room for `wanted` items, half as much again as before. */
static bool reserve(void **array, uint64_t *capacity, uint64_t wanted, size_t item_bytes) {
  if (wanted <= *capacity) return true;
  uint64_t larger = *capacity + *capacity / 2 + 64;
  if (larger < wanted) larger = wanted;
  if (larger > SIZE_MAX / item_bytes) return false;
  void *grown = realloc(*array, larger * item_bytes);
  if (grown == NULL) return false;
  *array = grown;
  *capacity = larger;
  return true;
}

/* Three arrays grow together; the capacity is only raised when all of them have. */
static bool reserve_object(struct td_graph_recorder *recorder) {
  struct td_thg *graph = &recorder->graph;
  uint64_t old = recorder->object_capacity, wanted = (uint64_t)graph->object_count + 2;
  uint64_t shapes = old, sizes = old;
  return reserve((void **)&graph->shape_of, &shapes, wanted, sizeof *graph->shape_of) &&
         reserve((void **)&graph->size, &sizes, wanted, sizeof *graph->size) &&
         reserve((void **)&graph->first_ref, &recorder->object_capacity, wanted,
                 sizeof *graph->first_ref);
}

/* ---- Calls of the builder -------------------------------------------------------------- */

static uint32_t shape(void *context, const struct td_thg_shape *description) {
  struct td_thg *graph = &((struct td_graph_recorder *)context)->graph;
  struct td_thg_shape *grown =
      realloc(graph->shapes, (graph->shape_count + (size_t)1) * sizeof *grown);
  if (grown == NULL) return TD_GRAPH_SHAPE_NONE;
  graph->shapes = grown;
  struct td_thg_shape *copy = &grown[graph->shape_count];
  *copy = *description;
  if (description->kind == TD_THG_BITMAP) {
    size_t bytes = description->bitmap_words * sizeof *description->bitmap;
    copy->bitmap = malloc(bytes);
    if (copy->bitmap == NULL) return TD_GRAPH_SHAPE_NONE;
    memcpy(copy->bitmap, description->bitmap, bytes);
  }
  return graph->shape_count++;
}

static void *alloc(void *context, uint32_t number, size_t bytes) {
  struct td_graph_recorder *recorder = context;
  struct td_thg *graph = &recorder->graph;
  if (graph->object_count == TD_GRAPH_OBJECTS_MAX || !reserve_object(recorder)) return NULL;
  uint64_t slots = td_thg_slots(&graph->shapes[number], bytes), first = graph->ref_count;
  if (slots > UINT64_MAX / 2 - first ||
      !reserve((void **)&graph->refs, &recorder->ref_capacity, first + slots, sizeof *graph->refs))
    return NULL;
  for (uint64_t i = 0; i < slots; i++)
    graph->refs[first + i] = TD_THG_NULL;
  uint32_t index = graph->object_count++;
  graph->shape_of[index] = number;
  graph->size[index] = bytes;
  graph->first_ref[index] = first;
  graph->first_ref[index + 1] = graph->ref_count = first + slots;
  return (void *)((uintptr_t)index + 1);
}

static uint32_t index_of(const void *object) {
  return (uint32_t)((uintptr_t)object - 1);
}

/* How many reference slots an object of that shape has before word `word`. */
static uint64_t slots_before(const struct td_thg_shape *shape, uint64_t word) {
  if (shape->kind == TD_THG_PREFIX) return word - shape->prefix_words;
  uint64_t count = 0;
  for (uint64_t i = 0; i < word / 64; i++)
    count += (uint64_t)__builtin_popcountll(shape->bitmap[i]);
  uint64_t below = (UINT64_C(1) << (word % 64)) - 1;
  return count + (uint64_t)__builtin_popcountll(shape->bitmap[word / 64] & below);
}

static void store(void *context, void *object, uint64_t slot, void *target) {
  struct td_thg *graph = &((struct td_graph_recorder *)context)->graph;
  uint32_t from = index_of(object);
  const struct td_thg_shape *description = &graph->shapes[graph->shape_of[from]];
  graph->refs[graph->first_ref[from] + slots_before(description, slot)] = index_of(target);
}

static bool root(void *context, void *object) {
  struct td_graph_recorder *recorder = context;
  struct td_thg *graph = &recorder->graph;
  if (!reserve((void **)&graph->roots, &recorder->root_capacity, (uint64_t)graph->root_count + 1,
               sizeof *graph->roots))
    return false;
  graph->roots[graph->root_count++] = index_of(object);
  return true;
}

static void **table_new(void *context, size_t count) {
  (void)context;
  return calloc(count, sizeof(void *));
}

static void table_free(void *context, void **table, size_t count) {
  (void)context;
  (void)count;
  free(table);
}

/* ---- Life ------------------------------------------------------------------------------ */

struct td_graph_recorder *td_graph_recorder_new(void) {
  return calloc(1, sizeof(struct td_graph_recorder));
}

void td_graph_recorder_free(struct td_graph_recorder *recorder) {
  if (recorder == NULL) return;
  td_thg_free(&recorder->graph);
  free(recorder);
}

void td_graph_recorder_sink(struct td_graph_recorder *recorder, struct td_graph_sink *sink) {
  *sink = (struct td_graph_sink){
      .context = recorder,
      .shape = shape,
      .alloc = alloc,
      .store = store,
      .root = root,
      .table_new = table_new,
      .table_free = table_free,
  };
}

void td_graph_recorder_take(struct td_graph_recorder *recorder, struct td_thg *graph) {
  *graph = recorder->graph;
  *recorder = (struct td_graph_recorder){0};
}

/* The table, three arrays by object, and four bytes for each word that might be a reference. */
static uint64_t record_bytes(const struct td_graph_plan *plan) {
  return td_plan_add(td_plan_multiply(plan->objects, sizeof(void *) + 20), plan->bytes / 2);
}

bool td_graph_record(const struct td_graph_spec *spec, struct td_thg *graph,
                     struct td_graph_error *error) {
  *graph = (struct td_thg){0};
  if (spec->path != NULL) return td_graph_read(spec, graph, error);
  struct td_graph_plan plan;
  td_graph_plan(spec, &plan);
  if (!td_build_fits(spec->text, record_bytes(&plan), error)) return false;
  struct td_graph_recorder *recorder = td_graph_recorder_new();
  if (recorder == NULL)
    return td_graph_fail(error, TD_GRAPH_NO_RESOURCES, "graph '%.300s': no memory", spec->text);
  struct td_graph_sink sink;
  td_graph_recorder_sink(recorder, &sink);
  bool built = td_graph_build(spec, &sink, NULL, error);
  if (built) td_graph_recorder_take(recorder, graph);
  td_graph_recorder_free(recorder);
  return built;
}
