/* SPDX-License-Identifier: MIT */
#include "bench/limit/tape.h"

#include <stdlib.h>
#include <string.h>

#include "bench/cli/complain.h"
#include "workloads/sink_record.h"

#define LINE_BYTES 64u
#define WORD_BYTES 8u

const char *const td_tape_order_names[TD_TAPE_ORDERS] = {"depth-first", "address", "replay"};

/* ---- Where the objects are ------------------------------------------------------------- */

static void *alloc(void *context, uint32_t shape, size_t bytes) {
  struct td_places *places = context;
  void *object = places->inner.alloc(places->inner.context, shape, bytes);
  if (!object) return NULL;
  if (places->count == places->capacity) {
    size_t capacity = places->capacity ? 2 * places->capacity : 4096;
    uintptr_t *grown = realloc(places->at, capacity * sizeof *grown);
    if (!grown) {
      places->failed = true;
      return NULL;
    }
    places->at = grown;
    places->capacity = capacity;
  }
  places->at[places->count++] = (uintptr_t)object;
  return object;
}

static uint32_t shape(void *context, const struct td_thg_shape *description) {
  const struct td_graph_sink *inner = &((struct td_places *)context)->inner;
  return inner->shape(inner->context, description);
}
static bool root(void *context, void *object) {
  const struct td_graph_sink *inner = &((struct td_places *)context)->inner;
  return inner->root(inner->context, object);
}
static void **table_new(void *context, size_t count) {
  const struct td_graph_sink *inner = &((struct td_places *)context)->inner;
  return inner->table_new(inner->context, count);
}
static void table_free(void *context, void **table, size_t count) {
  const struct td_graph_sink *inner = &((struct td_places *)context)->inner;
  inner->table_free(inner->context, table, count);
}
static void progress(void *context, uint64_t done, uint64_t total) {
  const struct td_graph_sink *inner = &((struct td_places *)context)->inner;
  if (inner->progress) inner->progress(inner->context, done, total);
}
static const char *reason(void *context) {
  const struct td_places *places = context;
  if (places->failed) return "not enough memory for the list of objects";
  return places->inner.reason ? places->inner.reason(places->inner.context) : NULL;
}

/* Objects on a Tidemark heap are plain memory: there is no store function to pass on. */
void td_places_wrap(void *context, struct td_graph_sink *sink) {
  struct td_places *places = context;
  places->inner = *sink;
  *sink = (struct td_graph_sink){
      .context = places,
      .shape = shape,
      .alloc = alloc,
      .root = root,
      .table_new = table_new,
      .table_free = table_free,
      .progress = progress,
      .reason = reason,
  };
}

void td_places_free(struct td_places *places) {
  free(places->at);
  *places = (struct td_places){0};
}

/* ---- Traversal ------------------------------------------------------------------------- */

struct indices {
  uint32_t *at;
  size_t count, capacity;
};

static bool push(struct indices *stack, uint32_t index) {
  if (stack->count == stack->capacity) {
    size_t capacity = stack->capacity ? 2 * stack->capacity : 4096;
    uint32_t *grown = realloc(stack->at, capacity * sizeof *grown);
    if (!grown) return false;
    stack->at = grown;
    stack->capacity = capacity;
  }
  stack->at[stack->count++] = index;
  return true;
}

/* Appends what the root reaches and no earlier root did, references taken from first to last. */
static bool visit_from(const struct td_thg *graph, uint32_t start, uint8_t *met,
                       struct indices *stack, struct indices *order) {
  if (!push(stack, start)) return false;
  while (stack->count > 0) {
    uint32_t object = stack->at[--stack->count];
    if (met[object]) continue;
    met[object] = 1;
    if (!push(order, object)) return false;
    for (uint64_t i = graph->first_ref[object + 1]; i-- > graph->first_ref[object];) {
      uint32_t target = graph->refs[i];
      if (target != TD_THG_NULL && !met[target] && !push(stack, target)) return false;
    }
  }
  return true;
}

static bool depth_first(const struct td_thg *graph, struct indices *order) {
  uint8_t *met = calloc((size_t)graph->object_count + 1, 1);
  struct indices stack = {0};
  bool done = met != NULL;
  for (uint32_t i = 0; done && i < graph->root_count; i++)
    if (graph->roots[i] != TD_THG_NULL)
      done = visit_from(graph, graph->roots[i], met, &stack, order);
  free(met);
  free(stack.at);
  return done;
}

/* ---- Tapes ----------------------------------------------------------------------------- */

/* Returns how many words must be read to find all references. */
static uint64_t words_to_read(const struct td_places *places, const struct td_thg *graph,
                              uint32_t object) {
  const struct td_thg_shape *shape = &graph->shapes[graph->shape_of[object]];
  uint64_t words = graph->size[object] / WORD_BYTES;
  if (shape->kind == TD_THG_LEAF) return 0;
  if (places->conservative) return words;
  if (graph->first_ref[object] == graph->first_ref[object + 1]) return 0;
  if (shape->kind == TD_THG_PREFIX) return words;
  uint64_t last = shape->bitmap_words - 1u;
  uint64_t end = last * 64 + 64 - (uint64_t)__builtin_clzll(shape->bitmap[last]);
  return end < words ? end : words;
}

/* Writes the touches of one object and returns how many they are. to NULL: only counts them. */
typedef size_t write_touches(const struct td_tapes *tapes, const struct td_thg *graph,
                             uint32_t object, const struct td_places *places, uint32_t *to);

static uint32_t granule_of(const struct td_tapes *tapes, uintptr_t address) {
  return (uint32_t)((address - tapes->base) / TD_TOUCH_GRANULE_BYTES);
}

static size_t touch_object(const struct td_tapes *tapes, const struct td_thg *graph,
                           uint32_t object, const struct td_places *places, uint32_t *to) {
  const uintptr_t address = places->at[object];
  uint32_t granule = granule_of(tapes, address);
  uint64_t words = words_to_read(places, graph, object);
  if (to) to[0] = words ? granule : granule | TD_TOUCH_LEAF;
  size_t count = 1;
  for (uintptr_t line = address / LINE_BYTES * LINE_BYTES + LINE_BYTES;
       line < address + words * WORD_BYTES; line += LINE_BYTES, count++)
    if (to) to[count] = granule_of(tapes, line) | TD_TOUCH_MORE;
  return count;
}

/* As a marker would: reads the object, then looks at the mark that each of its references leads to.
 */
static size_t touch_references(const struct td_tapes *tapes, const struct td_thg *graph,
                               uint32_t object, const struct td_places *places, uint32_t *to) {
  size_t count = 0;
  if (words_to_read(places, graph, object) > 0) {
    count = touch_object(tapes, graph, object, places, to);
    if (to) to[0] |= TD_TOUCH_MORE;
  }
  for (uint64_t i = graph->first_ref[object]; i < graph->first_ref[object + 1]; i++) {
    if (graph->refs[i] == TD_THG_NULL) continue;
    if (to) to[count] = granule_of(tapes, places->at[graph->refs[i]]) | TD_TOUCH_LEAF;
    count++;
  }
  return count;
}

static bool make_tape(struct td_tapes *tapes, const struct td_thg *graph,
                      const struct indices *order, const struct td_places *places,
                      write_touches *touch, struct td_tape *tape) {
  size_t count = 0;
  for (size_t i = 0; i < order->count; i++)
    count += touch(tapes, graph, order->at[i], places, NULL);
  tape->touch = calloc(count + TD_TAPE_AHEAD_MAX, sizeof *tape->touch);
  if (!tape->touch) return false;
  for (size_t i = 0; i < order->count; i++)
    tape->count += touch(tapes, graph, order->at[i], places, tape->touch + tape->count);
  return true;
}

/* Sorts by a table with an entry for every granule of the heap: no comparisons, one pass. */
static bool sort_by_address(const struct td_tapes *tapes, struct indices *order,
                            const uintptr_t *at) {
  uint32_t *owner = malloc(tapes->granules * sizeof *owner);
  if (!owner) return false;
  memset(owner, 0xFF, tapes->granules * sizeof *owner);
  for (size_t i = 0; i < order->count; i++)
    owner[(at[order->at[i]] - tapes->base) / TD_TOUCH_GRANULE_BYTES] = order->at[i];
  size_t count = 0;
  for (size_t granule = 0; granule < tapes->granules; granule++)
    if (owner[granule] != TD_THG_NULL) order->at[count++] = owner[granule];
  free(owner);
  return true;
}

static void measure(struct td_tapes *tapes, const struct indices *order, const uintptr_t *at) {
  uintptr_t low = UINTPTR_MAX, high = 0;
  for (size_t i = 0; i < order->count; i++) {
    uintptr_t address = at[order->at[i]];
    low = address < low ? address : low;
    high = address > high ? address : high;
  }
  if (order->count == 0) low = high = 0;
  tapes->base = low / LINE_BYTES * LINE_BYTES;
  tapes->granules = (high - tapes->base) / TD_TOUCH_GRANULE_BYTES + 1;
  tapes->objects = order->count;
}

static int make_both(const struct td_graph_spec *spec, const struct td_thg *graph,
                     const struct td_places *places, struct indices *order,
                     struct td_tapes *tapes) {
  measure(tapes, order, places->at);
  /* A large object may reach beyond the start of the last one. All its lines must be in range. */
  uint64_t reach = tapes->granules;
  for (size_t i = 0; i < order->count; i++) {
    uint32_t object = order->at[i];
    uint64_t end =
        (places->at[object] - tapes->base + graph->size[object]) / TD_TOUCH_GRANULE_BYTES + 1;
    reach = end > reach ? end : reach;
  }
  if (reach > TD_TOUCH_GRANULE)
    return td_complain(TD_EXIT_RESOURCES, "%s: the oracle replays heaps up to 16 GiB", spec->text);
  tapes->granules = (size_t)reach;
  struct td_tape *tape = tapes->order;
  bool done = make_tape(tapes, graph, order, places, touch_object, &tape[TD_TAPE_DEPTH_FIRST]) &&
              make_tape(tapes, graph, order, places, touch_references, &tape[TD_TAPE_REPLAY]) &&
              sort_by_address(tapes, order, places->at) &&
              make_tape(tapes, graph, order, places, touch_object, &tape[TD_TAPE_ADDRESS]);
  if (!done)
    return td_complain(TD_EXIT_RESOURCES, "%s: not enough memory for the oracle", spec->text);
  tape = &tapes->order[TD_TAPE_ADDRESS];
  for (size_t i = 0; i < tape->count; i++)
    tapes->lines += !(tape->touch[i] & TD_TOUCH_LEAF);
  return TD_EXIT_OK;
}

int td_tapes_make(const struct td_graph_spec *spec, const struct td_places *places,
                  struct td_tapes *tapes) {
  *tapes = (struct td_tapes){0};
  struct td_graph_error error = {0};
  struct td_thg graph;
  if (!td_graph_record(spec, &graph, &error))
    return td_complain((int)error.status, "%s", error.text);
  struct indices order = {0};
  int status = TD_EXIT_OK;
  if (graph.object_count != places->count)
    status = td_complain(TD_EXIT_CHECK, "%s: %zu objects are on the heap, but %u in its recording",
                         spec->text, places->count, graph.object_count);
  else if (!depth_first(&graph, &order))
    status = td_complain(TD_EXIT_RESOURCES, "%s: not enough memory for the oracle", spec->text);
  else
    status = make_both(spec, &graph, places, &order, tapes);
  free(order.at);
  td_thg_free(&graph);
  if (status != TD_EXIT_OK) td_tapes_end(tapes);
  return status;
}

void td_tapes_end(struct td_tapes *tapes) {
  for (unsigned i = 0; i < TD_TAPE_ORDERS; i++) {
    free(tapes->order[i].touch);
    tapes->order[i] = (struct td_tape){0};
  }
}
