/* Weak references and ephemerons: the embedder's functions, and clearing. */
#include "gc/cycle/reclaim.h"

#include "gc/cycle/ephemeron.h"
#include "gc/finalizer.h"
#include "gc/mutator/attach.h"

/* ---- In a collection ---- */

static bool dead(const struct tide_heap *heap, uintptr_t word) {
  return td_is_reference(&heap->space, word) && !td_object_is_marked(&heap->space, word);
}

/* Goes through a chain: clears references of kind BEFORE whose target is dead, and returns the
 * chain of the others with dead targets, put in front of `rest`. */
static uintptr_t clear_before(struct tide_heap *heap, uintptr_t chain, uintptr_t rest) {
  for (uintptr_t x = chain, next; x; x = next) {
    struct td_weak_object *weak = (struct td_weak_object *)x;
    next = weak->link;
    if (!dead(heap, weak->target)) continue;
    if (weak->weak_kind == TIDE_WEAK_AFTER) {
      weak->link = rest;
      rest = x;
    } else {
      weak->target = 0;
    }
  }
  return rest;
}

/* Weak references met since the last call, by markers and by the serial closure. */
static uintptr_t take_and_clear_before(struct tide_heap *heap, uintptr_t rest) {
  rest = clear_before(heap, td_mark_take_weak(heap->markers), rest);
  rest = clear_before(heap, heap->ephemerons.weak, rest);
  heap->ephemerons.weak = 0;
  return rest;
}

static void clear_dying_in(struct tide_heap *heap, uint32_t b) {
  const struct td_space *h = &heap->space;
  uint64_t granule = (uint64_t)b << TD_BLOCK_GRANULES_LOG2;
  for (uint32_t i = 0; i < h->infos[b].cells; i++, granule += h->blocks[b].cell_granules) {
    if (h->marks[granule] != h->epoch_before) continue;
    struct td_weak_object *weak = (struct td_weak_object *)td_granule_address(h->base, granule);
    if (weak->weak_kind == TIDE_WEAK_BEFORE && dead(heap, weak->target)) weak->target = 0;
  }
}

void td_weak_clear_dying(struct tide_heap *heap) {
  const struct td_space *h = &heap->space;
  for (uint32_t b = 1; b < h->frontier; b++)
    if (h->blocks[b].kind == TD_KIND_WEAK) clear_dying_in(heap, b);
}

void td_weak_process(struct tide_heap *heap) {
  uintptr_t after = take_and_clear_before(heap, 0);
  if (td_finalizers_queue_dying(heap)) {
    td_ephemerons_close(heap);
    after = take_and_clear_before(heap, after);
  }
  td_ephemerons_clear(heap);
  for (uintptr_t x = after; x; x = ((struct td_weak_object *)x)->link) {
    struct td_weak_object *weak = (struct td_weak_object *)x;
    if (dead(heap, weak->target)) weak->target = 0;
  }
}

/* ---- The embedder's functions ---- */

/* May the thread look, and is this what its type says? Nothing but the block is asked, so that an
 * object of that kind which was reclaimed passes. */
static bool is_kind(const struct tide_mutator *mutator, const void *object, enum td_kind kind,
                    const char *function) {
  if (!td_mutator_may_look(mutator, function) || !object) return false;
  const struct td_space *space = &mutator->heap->space;
  uint64_t granule = td_granule_of(space->base, (uintptr_t)object);
  if (granule < space->granules && space->blocks[td_block_of_granule(granule)].kind == kind)
    return true;
  td_misuse("%s: %p is not made by %s in this heap", function, object,
            kind == TD_KIND_WEAK ? "tide_weak_new" : "tide_ephemeron_new");
  return false;
}

struct tide_weak *tide_weak_new(struct tide_mutator *mutator, void *target,
                                enum tide_weak_kind kind) {
  if (!td_mutator_may_act(mutator, "tide_weak_new")) return NULL;
  if (kind != TIDE_WEAK_BEFORE && kind != TIDE_WEAK_AFTER) {
    mutator->alloc_status = TIDE_ERROR_ARGUMENT;
    return NULL;
  }
  struct td_local_root keep = {(uintptr_t)target, mutator->locals};
  mutator->locals = &keep;
  struct td_weak_object *weak = tide_alloc(mutator, TD_LAYOUT_WEAK, sizeof *weak);
  mutator->locals = keep.up;
  if (!weak) return NULL;
  weak->target = (uintptr_t)target;
  weak->weak_kind = (uint64_t)kind;
  return (struct tide_weak *)weak;
}

void *tide_weak_get(struct tide_mutator *mutator, struct tide_weak *weak) {
  if (!is_kind(mutator, weak, TD_KIND_WEAK, "tide_weak_get")) return NULL;
  return (void *)((struct td_weak_object *)weak)->target;
}

struct tide_ephemeron *tide_ephemeron_new(struct tide_mutator *mutator, void *key, void *value) {
  if (!td_mutator_may_act(mutator, "tide_ephemeron_new")) return NULL;
  struct td_local_root keep_key = {(uintptr_t)key, mutator->locals};
  struct td_local_root keep_value = {(uintptr_t)value, &keep_key};
  mutator->locals = &keep_value;
  struct td_ephemeron_object *ephemeron =
      tide_alloc(mutator, TD_LAYOUT_EPHEMERON, sizeof *ephemeron);
  mutator->locals = keep_key.up;
  if (!ephemeron) return NULL;
  ephemeron->key = (uintptr_t)key;
  ephemeron->value = (uintptr_t)value;
  return (struct tide_ephemeron *)ephemeron;
}

void *tide_ephemeron_key(struct tide_mutator *mutator, struct tide_ephemeron *ephemeron) {
  if (!is_kind(mutator, ephemeron, TD_KIND_EPHEMERON, "tide_ephemeron_key")) return NULL;
  return (void *)((struct td_ephemeron_object *)ephemeron)->key;
}

void *tide_ephemeron_value(struct tide_mutator *mutator, struct tide_ephemeron *ephemeron) {
  if (!is_kind(mutator, ephemeron, TD_KIND_EPHEMERON, "tide_ephemeron_value")) return NULL;
  return (void *)((struct td_ephemeron_object *)ephemeron)->value;
}

void tide_ephemeron_set(struct tide_mutator *mutator, struct tide_ephemeron *ephemeron,
                        void *value) {
  if (!td_mutator_may_act(mutator, "tide_ephemeron_set") ||
      !is_kind(mutator, ephemeron, TD_KIND_EPHEMERON, "tide_ephemeron_set"))
    return;
  struct td_ephemeron_object *object = (struct td_ephemeron_object *)ephemeron;
  if (object->key) object->value = (uintptr_t)value; /* a dead one stays empty */
}
