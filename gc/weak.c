/* SPDX-License-Identifier: MIT */
/* Weak references and ephemerons as the embedder sees them. */
#include "gc/check/caller/check.h"
#include "gc/state/error.h"
#include "gc/state/mutator.h"
#include "gc/threads/inside.h"
#include "gc/threads/mutator/barrier.h"

/* May the thread look, and is this what its type says? Nothing but the block is asked, so that an
 * object of that kind which was reclaimed passes. */
static bool is_kind(const struct tide_mutator *mutator, const void *object, enum td_kind kind,
                    const char *function) {
  if (!td_mutator_may_look(mutator, function) || !object) return false;
  const struct td_block *block = td_block_at(&mutator->heap->space, (uintptr_t)object);
  if (block && block->kind == kind) return true;
  td_misuse("%s: %p is not made by %s in this heap", function, object,
            kind == TD_KIND_WEAK ? "tide_weak_new" : "tide_ephemeron_new");
  return false;
}

/* What comes out of a weak reference lives on. */
static void *keep(struct tide_mutator *mutator, uintptr_t object) {
  td_barrier_keep(mutator, (void *)object);
  return (void *)object;
}

struct tide_weak *tide_weak_new(struct tide_mutator *mutator, void *target,
                                enum tide_weak_kind kind) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
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
  return keep(mutator, ((struct td_weak_object *)weak)->target);
}

struct tide_ephemeron *tide_ephemeron_new(struct tide_mutator *mutator, void *key, void *value) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
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
  return keep(mutator, ((struct td_ephemeron_object *)ephemeron)->key);
}

void *tide_ephemeron_value(struct tide_mutator *mutator, struct tide_ephemeron *ephemeron) {
  if (!is_kind(mutator, ephemeron, TD_KIND_EPHEMERON, "tide_ephemeron_value")) return NULL;
  return keep(mutator, ((struct td_ephemeron_object *)ephemeron)->value);
}

void tide_ephemeron_set(struct tide_mutator *mutator, struct tide_ephemeron *ephemeron,
                        void *value) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin(); /* the key may die until the store */
  if (!td_mutator_may_act(mutator, "tide_ephemeron_set") ||
      !is_kind(mutator, ephemeron, TD_KIND_EPHEMERON, "tide_ephemeron_set"))
    return;
  struct td_ephemeron_object *object = (struct td_ephemeron_object *)ephemeron;
  if (!object->key) return; /* a dead one stays empty */
  tide_write_begin(mutator, object, &object->value, 1);
  __atomic_store_n(&object->value, (uintptr_t)value, __ATOMIC_RELAXED); /* markers may read it */
}
