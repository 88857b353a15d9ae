/* SPDX-License-Identifier: MIT */
/* Weak slots in place. The finalizers' lock guards them: a collection holds it. */
#include "gc/foreign/weak_slots.h"

#include "gc/check/caller/check.h"
#include "gc/object/find.h"
#include "gc/object/scan.h"
#include "gc/threads/inside.h"
#include "gc/weak/finalizers.h"
#include "heap/space/find.h"
#include "tide/foreign.h"

void td_weak_slots_init(struct td_weak_slots *slots) {
  *slots = (struct td_weak_slots){.registered = TD_REGISTRY(struct td_weak_slot, uintptr_t)};
}

void td_weak_slots_deinit(struct td_weak_slots *slots) {
  td_registry_deinit(&slots->registered);
}

/* ---- Registering ---- */

/* Looks at each slot or at each word, whichever are fewer. */
static void forget_within(struct td_registry *slots, uintptr_t start, size_t bytes) {
  if (bytes / sizeof(void *) < slots->count) {
    for (uintptr_t word = start; word < start + bytes; word += sizeof(void *))
      (void)td_registry_remove(slots, &word); /* most are no slots */
    return;
  }
  const struct td_weak_slot *slot = slots->at;
  for (size_t i = slots->count; i-- > 0;) /* the one that takes a place has been looked at */
    if (slot[i].slot - start < bytes) td_registry_drop(slots, i);
}

void td_weak_slots_forget_slow(struct tide_heap *heap, uintptr_t start, size_t bytes) {
  pthread_mutex_lock(&heap->finalizers->lock);
  for (int kind = 0; kind < TD_WEAK_KINDS; kind++)
    forget_within(&heap->weak_slots[kind].registered, start, bytes);
  pthread_mutex_unlock(&heap->finalizers->lock);
}

static void note_place(struct tide_heap *heap, enum tide_weak_kind kind, uintptr_t slot) {
  /* relaxed: as in td_weak_slots_forget. */
  if (td_space_owns(&heap->space, slot))
    atomic_store_explicit(&heap->weak_slots[kind].inside, true, memory_order_relaxed);
}

/* Returns TIDE_OK with the lock taken. */
static enum tide_status begin(struct tide_mutator *mutator, const char *function, const void *slot,
                              enum tide_weak_kind kind) {
  if (!td_mutator_may_act(mutator, function)) return td_refusal(mutator);
  if (!slot || (uintptr_t)slot % sizeof(void *) ||
      (kind != TIDE_WEAK_BEFORE && kind != TIDE_WEAK_AFTER))
    return TIDE_ERROR_ARGUMENT;
  pthread_mutex_lock(&mutator->heap->finalizers->lock);
  return TIDE_OK;
}

enum tide_status tide_weak_slot_add(struct tide_mutator *mutator, void *slot, const void *target,
                                    enum tide_weak_kind kind) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct td_found found;
  if (td_mutator_may_act(mutator, "tide_weak_slot_add") &&
      (!target || !td_object_look(mutator, (uintptr_t)target, &found)))
    return TIDE_ERROR_ARGUMENT;
  enum tide_status status = begin(mutator, "tide_weak_slot_add", slot, kind);
  if (status != TIDE_OK) return status;
  note_place(mutator->heap, kind, (uintptr_t)slot);
  const struct td_weak_slot entry = {(uintptr_t)slot, (uintptr_t)target};
  status = td_registry_add(&mutator->heap->weak_slots[kind].registered, &entry);
  pthread_mutex_unlock(&mutator->heap->finalizers->lock);
  return status;
}

enum tide_status tide_weak_slot_remove(struct tide_mutator *mutator, void *slot,
                                       enum tide_weak_kind kind) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  enum tide_status status = begin(mutator, "tide_weak_slot_remove", slot, kind);
  if (status != TIDE_OK) return status;
  status = td_registry_remove(&mutator->heap->weak_slots[kind].registered, &slot);
  pthread_mutex_unlock(&mutator->heap->finalizers->lock);
  return status;
}

enum tide_status tide_weak_slot_move(struct tide_mutator *mutator, void *from, void *to,
                                     enum tide_weak_kind kind) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!to || (uintptr_t)to % sizeof(void *)) return TIDE_ERROR_ARGUMENT;
  enum tide_status status = begin(mutator, "tide_weak_slot_move", from, kind);
  if (status != TIDE_OK) return status;
  note_place(mutator->heap, kind, (uintptr_t)to);
  struct td_registry *slots = &mutator->heap->weak_slots[kind].registered;
  size_t at = td_registry_find(slots, &from);
  status = at == TD_TABLE_NONE ? TIDE_ERROR_ARGUMENT : td_registry_rename(slots, at, (uintptr_t)to);
  pthread_mutex_unlock(&mutator->heap->finalizers->lock);
  return status;
}

/* ---- In a collection ---- */

/* How far ahead mark bytes are fetched: they lie as scattered as the targets. */
#define AHEAD 8u

static bool is_dead(const struct tide_heap *heap, uintptr_t object) {
  return !td_object_is_marked(&heap->space, object);
}

static void fetch(const struct tide_heap *heap, const struct td_registry *slots, size_t i) {
  const struct td_weak_slot *slot = slots->at;
  if (i < slots->count)
    __builtin_prefetch(&heap->space.marks[td_granule_of(heap->space.base, slot[i].target)]);
}

/* A slot in an object that is about to be reclaimed is cleared like any other: the object is still
 * there, and a finalizer may bring it back. */
void td_weak_slots_clear(struct tide_heap *heap, enum tide_weak_kind kind) {
  struct td_registry *slots = &heap->weak_slots[kind].registered;
  const struct td_weak_slot *slot = slots->at;
  for (size_t i = slots->count; i-- > 0;) {
    fetch(heap, slots, i - AHEAD); /* wraps around below number 0, and is out of bounds then */
    if (!is_dead(heap, slot[i].target)) continue;
    *(uintptr_t *)slot[i].slot = 0;
    td_registry_drop(slots, i);
  }
}

/* Does the slot lie in memory of the heap that holds no object any more? A free cell was one. A
 * slot is no word of the program: it may lie anywhere in an object, whichever words keep that
 * alive. */
static bool lies_in_dead(const struct tide_heap *heap, uintptr_t slot) {
  if (!td_space_owns(&heap->space, slot)) return false;
  uintptr_t object = td_space_find(&heap->space, slot, TD_FROM_ANYWHERE);
  return !object || is_dead(heap, object);
}

void td_weak_slots_forget_dead(struct tide_heap *heap) {
  for (int kind = 0; kind < TD_WEAK_KINDS; kind++) {
    struct td_registry *slots = &heap->weak_slots[kind].registered;
    const struct td_weak_slot *slot = slots->at;
    for (size_t i = slots->count; i-- > 0;)
      if (lies_in_dead(heap, slot[i].slot)) td_registry_drop(slots, i);
  }
}
