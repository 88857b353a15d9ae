/* SPDX-License-Identifier: MIT */
/* The walk: what embedders may ask about a heap that stands still (tide/inspect.h), and checks of
 * it. */
#include "gc/arrays/pages.h"
#include "gc/check/verify.h"
#include "gc/cycle/collect.h"
#include "gc/foreign/settle.h"
#include "gc/object/find.h"
#include "gc/object/scan.h"
#include "gc/roots/gather.h"
#include "gc/state/error.h"
#include "gc/threads/stop/pause.h"
#include "heap/check.h"
#include "heap/space/find.h"
#include "heap/space/walk.h"
#include "tide/inspect.h"

#define BLOCK_WORDS (TD_BLOCK_GRANULES / 64)

/* An object's number is the count of set bits before its own in a bitmap of granules. The count is
 * kept for each block, and made inside it when it is asked for. */
struct tide_walk {
  struct tide_heap *heap;
  uint64_t *objects; /* bit per granule below the frontier */
  uint64_t *before;  /* per block: objects in lower blocks */
  uint64_t count;
  uint32_t layouts; /* those that were there when the walk began: any thread may add some */
  bool in_roots;    /* tide_walk_roots runs: the list of spans is in use */
};

/* ---- Numbers ---- */

static bool number_objects(struct tide_walk *walk) {
  uint32_t blocks = walk->heap->space.frontier;
  walk->objects = td_object_bitmap(&walk->heap->space);
  walk->before = td_pages_take(((size_t)blocks + 1) * sizeof *walk->before);
  if (!walk->objects || !walk->before) return false;
  for (uint32_t b = 0; b < blocks; b++) {
    walk->before[b] = walk->count;
    for (size_t i = 0; i < BLOCK_WORDS; i++)
      walk->count += (uint64_t)__builtin_popcountll(walk->objects[b * BLOCK_WORDS + i]);
  }
  return true;
}

static bool is_object(const struct tide_walk *walk, uintptr_t address) {
  return td_object_has_bit(&walk->heap->space, walk->objects, address);
}

uint64_t tide_walk_count(const struct tide_walk *walk) {
  return walk ? walk->count : 0;
}

uint64_t tide_walk_number(const struct tide_walk *walk, const void *object) {
  if (!walk || !is_object(walk, (uintptr_t)object)) return TIDE_NO_NUMBER;
  uint64_t granule = td_granule_of(walk->heap->space.base, (uintptr_t)object);
  uint32_t block = td_block_of_granule(granule);
  uint64_t number = walk->before[block], lower = ((uint64_t)1 << (granule % 64)) - 1;
  for (uint64_t i = (uint64_t)block * BLOCK_WORDS; i < granule / 64; i++)
    number += (uint64_t)__builtin_popcountll(walk->objects[i]);
  return number + (uint64_t)__builtin_popcountll(walk->objects[granule / 64] & lower);
}

/* ---- Objects ---- */

struct objects {
  struct tide_walk *walk;
  tide_walk_object_fn visit;
  void *context;
  uint64_t next; /* number */
};

static bool visit_object(const struct td_cell *object, void *argument) {
  struct objects *objects = argument;
  const struct tide_walk_object seen = {(void *)object->start, object->bytes, objects->next++,
                                        object->layout};
  return objects->visit(objects->walk, &seen, objects->context);
}

enum tide_status tide_walk_objects(struct tide_walk *walk, tide_walk_object_fn visit,
                                   void *context) {
  if (!walk || !visit) return TIDE_ERROR_ARGUMENT;
  struct objects objects = {walk, visit, context, 0};
  td_space_each_object(&walk->heap->space, visit_object, &objects);
  return TIDE_OK;
}

/* ---- References ---- */

struct references {
  struct td_scanner scanner; /* first */
  struct tide_walk *walk;
  tide_walk_reference_fn visit;
  void *context;
  uintptr_t object;
  size_t bytes;
  bool ended; /* visit wants no more; a trace function cannot be stopped */
};

static void visit_reference(struct references *r, uintptr_t target, const void *slot,
                            enum tide_reference_kind kind) {
  if (r->ended || !is_object(r->walk, target)) return;
  size_t offset = (uintptr_t)slot - r->object;
  if (offset >= r->bytes) offset = TIDE_NO_OFFSET; /* elsewhere, or nowhere */
  const struct tide_walk_reference seen = {(void *)target, offset, kind};
  r->ended = !r->visit(r->walk, &seen, r->context);
}

static void strong(struct td_scanner *scanner, uintptr_t target) {
  visit_reference((struct references *)scanner, target, scanner->slot, TIDE_REFERENCE_STRONG);
}

static void weak(struct td_scanner *scanner, struct td_weak_object *object) {
  visit_reference((struct references *)scanner, object->target, &object->target,
                  TIDE_REFERENCE_WEAK);
}

static void ephemeron(struct td_scanner *scanner, struct td_ephemeron_object *object) {
  struct references *r = (struct references *)scanner;
  visit_reference(r, object->key, &object->key, TIDE_REFERENCE_KEY);
  visit_reference(r, object->value, &object->value, TIDE_REFERENCE_VALUE);
}

enum tide_status tide_walk_references(struct tide_walk *walk, const void *object,
                                      tide_walk_reference_fn visit, void *context) {
  if (!walk || !visit || !is_object(walk, (uintptr_t)object)) return TIDE_ERROR_ARGUMENT;
  const struct td_space *space = &walk->heap->space;
  struct references r = {.walk = walk,
                         .visit = visit,
                         .context = context,
                         .object = (uintptr_t)object,
                         .bytes = td_space_object_bytes(space, (uintptr_t)object)};
  td_scanner_init(&r.scanner, space, strong);
  r.scanner.weak = weak;
  r.scanner.ephemeron = ephemeron;
  td_scan_object(&r.scanner, r.object);
  return TIDE_OK;
}

/* ---- Roots ---- */

struct roots {
  struct td_scanner scanner; /* first */
  struct tide_walk *walk;
  tide_walk_root_fn visit;
  void *context;
  enum tide_root_kind kind; /* of those that are being read */
  bool ended;
};

static void visit_root(struct td_scanner *scanner, uintptr_t target) {
  struct roots *r = (struct roots *)scanner;
  if (r->ended || !is_object(r->walk, target)) return;
  const struct tide_walk_root seen = {(void *)target, r->kind};
  r->ended = !r->visit(r->walk, &seen, r->context);
}

static void visit_spans(const struct td_span *spans, size_t count, void *argument) {
  struct roots *r = argument;
  for (size_t i = 0; i < count && !r->ended; i++) {
    bool words = spans[i].kind == TD_SPAN_CONSERVATIVE || spans[i].kind == TD_SPAN_STACK;
    r->kind = words ? TIDE_ROOT_CONSERVATIVE : TIDE_ROOT_SLOT;
    td_scan_span(&r->scanner, &spans[i]);
  }
}

enum tide_status tide_walk_roots(struct tide_walk *walk, tide_walk_root_fn visit, void *context) {
  if (!walk || !visit) return TIDE_ERROR_ARGUMENT;
  if (walk->in_roots) return TIDE_ERROR_STATE;
  if (!td_roots_are_known(walk->heap)) return TIDE_ERROR_MEMORY;
  struct roots r = {.walk = walk, .visit = visit, .context = context};
  td_scanner_init(&r.scanner, &walk->heap->space, visit_root);
  walk->in_roots = true;
  const struct td_root_list *list = td_roots_gather(walk->heap, TD_WORDS_KEPT, visit_spans, &r);
  visit_spans(list->spans, list->count, &r);
  r.kind = TIDE_ROOT_CALLBACK;
  if (!r.ended) td_roots_call_back(&r.scanner.tracer, walk->heap);
  if (!r.ended) td_settle_report_waiting(&r.scanner.tracer, walk->heap);
  walk->in_roots = false;
  return TIDE_OK;
}

/* ---- Layouts ---- */

tide_layout tide_walk_layouts(const struct tide_walk *walk) {
  return walk ? (tide_layout)(walk->layouts - 1) : 0;
}

static enum tide_layout_kind kind_of(const struct td_layout *layout) {
  static const enum tide_layout_kind kinds[] = {[TD_KIND_BITMAP] = TIDE_KIND_BITMAP,
                                                [TD_KIND_BITMAP_LONG] = TIDE_KIND_BITMAP,
                                                [TD_KIND_REFS] = TIDE_KIND_REFERENCES,
                                                [TD_KIND_PREFIXED] = TIDE_KIND_PREFIXED,
                                                [TD_KIND_CONSERVATIVE] = TIDE_KIND_CONSERVATIVE,
                                                [TD_KIND_REPEATED] = TIDE_KIND_REPEATED,
                                                [TD_KIND_TRACED] = TIDE_KIND_TRACED,
                                                [TD_KIND_WEAK] = TIDE_KIND_WEAK,
                                                [TD_KIND_EPHEMERON] = TIDE_KIND_EPHEMERON,
                                                [TD_KIND_LEAF] = TIDE_KIND_LEAF};
  return kinds[layout->kind];
}

enum tide_status tide_walk_layout(const struct tide_walk *walk, tide_layout number,
                                  struct tide_layout_info *info) {
  if (!walk || !info || number == TIDE_LAYOUT_INVALID || number >= walk->layouts)
    return TIDE_ERROR_ARGUMENT;
  const struct td_layout *layout = &walk->heap->space.layouts.at[number];
  *info = (struct tide_layout_info){.kind = kind_of(layout), .name = layout->name};
  if (layout->kind == TD_KIND_PREFIXED) info->prefix_words = layout->map;
  if (layout->kind == TD_KIND_BITMAP_LONG) {
    info->bits = layout->bits;
    info->words = layout->words;
  }
  if (layout->kind == TD_KIND_REPEATED) {
    info->bits = &layout->element;
    info->words = layout->words;
  }
  if (layout->kind == TD_KIND_BITMAP) {
    info->bits = &layout->map;
    info->words = 64u - (size_t)__builtin_clzll(layout->map);
  }
  return TIDE_OK;
}

/* ---- The stop ---- */

struct inspection {
  tide_inspect_fn inspect;
  void *context;
  bool no_memory;
};

/* The locks keep threads that are not attached from changing what the walk reads. */
static void inspect_stopped(struct tide_mutator *mutator, void *argument) {
  struct inspection *inspection = argument;
  struct tide_heap *heap = mutator->heap;
  struct tide_walk walk = {.heap = heap};
  td_roots_lock(heap);
  pthread_mutex_lock(&heap->space.lock);
  walk.layouts = heap->space.layouts.count;
  pthread_mutex_unlock(&heap->space.lock);
  inspection->no_memory = !number_objects(&walk);
  if (!inspection->no_memory) inspection->inspect(&walk, inspection->context);
  td_pages_give(walk.objects, td_object_bitmap_bytes(&heap->space));
  td_pages_give(walk.before, ((size_t)heap->space.frontier + 1) * sizeof *walk.before);
  td_roots_unlock(heap);
}

enum tide_status tide_heap_inspect(struct tide_mutator *mutator, tide_inspect_fn inspect,
                                   void *context, struct tide_error *error) {
  if (!inspect) return td_fail(error, TIDE_ERROR_ARGUMENT, "tide_heap_inspect: inspect is NULL");
  struct inspection inspection = {.inspect = inspect, .context = context};
  struct td_wish wish = {TIDE_CYCLE_FULL, TIDE_CAUSE_INSPECT};
  enum tide_status status =
      td_collect_and(mutator, "tide_heap_inspect", wish, inspect_stopped, &inspection);
  if (status != TIDE_OK)
    return td_fail(error, status, "tide_heap_inspect: %s",
                   mutator ? "a collection is not possible here" : "mutator is NULL");
  if (inspection.no_memory)
    return td_fail(error, TIDE_ERROR_MEMORY,
                   "tide_heap_inspect: not enough memory to number the objects");
  return td_succeed(error);
}

/* ---- One walk over all objects ---- */

struct visit {
  tide_visit_fn visit;
  void *context;
};

static bool visit_one(const struct td_cell *object, void *argument) {
  const struct visit *visit = argument;
  return visit->visit((void *)object->start, object->bytes, object->layout, visit->context);
}

static void walk_stopped(struct tide_mutator *mutator, void *visit) {
  td_space_each_object(&mutator->heap->space, visit_one, visit);
}

enum tide_status tide_heap_walk(struct tide_mutator *mutator, tide_visit_fn visit, void *context) {
  if (!visit) return TIDE_ERROR_ARGUMENT;
  struct visit call = {visit, context};
  return td_with_world_stopped(mutator, "tide_heap_walk", walk_stopped, &call);
}

/* ---- Checks ---- */

struct check_call {
  struct tide_check *marks;
  struct tide_error *error;
  enum tide_status status;
};

static void check_marks(struct tide_mutator *mutator, void *argument) {
  struct check_call *call = argument;
  td_roots_lock(mutator->heap);
  if (!td_verify_marks(mutator->heap, call->marks)) call->status = TIDE_ERROR_MEMORY;
  td_roots_unlock(mutator->heap);
}

enum tide_status tide_check_marks(struct tide_mutator *mutator, struct tide_check *check) {
  if (!check) return TIDE_ERROR_ARGUMENT;
  struct check_call call = {.marks = check};
  enum tide_status status = td_with_world_stopped(mutator, __func__, check_marks, &call);
  if (status == TIDE_OK) status = call.status;
  return status == TIDE_OK && !check->equal ? TIDE_ERROR_CHECK : status;
}

static void check_heap(struct tide_mutator *mutator, void *argument) {
  struct check_call *call = argument;
  if (!td_space_check(&mutator->heap->space, call->error)) call->status = TIDE_ERROR_CHECK;
}

enum tide_status tide_check_heap(struct tide_mutator *mutator, struct tide_error *error) {
  struct check_call call = {.error = error};
  enum tide_status status = td_with_world_stopped(mutator, __func__, check_heap, &call);
  if (status != TIDE_OK) return td_fail(error, status, "tide_check_heap: not possible here");
  return call.status == TIDE_OK ? td_succeed(error) : call.status;
}

static void count_marked(struct tide_mutator *mutator, void *argument) {
  *(uint64_t *)argument = mutator->heap->space.live_objects;
}

uint64_t tide_count_marked(struct tide_mutator *mutator) {
  uint64_t count = 0;
  (void)td_with_world_stopped(mutator, "tide_count_marked", count_marked, &count);
  return count;
}
