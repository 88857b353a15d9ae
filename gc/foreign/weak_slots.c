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
  td_table_free(&slots->pages);
}

/* ---- Pages: most objects that are freed lie where no slot does ---- */

#define PAGE_LOG2 12u

static bool count_in_page(struct tide_heap *heap, struct td_weak_slots *slots, uintptr_t slot) {
  if (!td_space_owns(&heap->space, slot)) return true;
  /* relaxed: as in td_weak_slots_forget. */
  atomic_store_explicit(&slots->inside, true, memory_order_relaxed);
  size_t before = td_table_get(&slots->pages, slot >> PAGE_LOG2);
  return td_table_put(&slots->pages, slot >> PAGE_LOG2, before == TD_TABLE_NONE ? 1 : before + 1);
}

/* A slot outside of the heap was not counted, and its page has no other. */
static void count_out(struct td_weak_slots *slots, uintptr_t slot) {
  size_t before = td_table_get(&slots->pages, slot >> PAGE_LOG2);
  if (before == TD_TABLE_NONE) return;
  if (before == 1)
    td_table_remove(&slots->pages, slot >> PAGE_LOG2);
  else
    td_table_put(&slots->pages, slot >> PAGE_LOG2, before - 1); /* there already: cannot fail */
}

/* Another one takes its number. */
static void drop(struct td_weak_slots *slots, size_t at) {
  count_out(slots, ((const struct td_weak_slot *)slots->registered.at)[at].slot);
  td_registry_drop(&slots->registered, at);
}

/* ---- Registering ---- */

static void forget_words(struct td_weak_slots *slots, uintptr_t start, uintptr_t end) {
  for (uintptr_t word = start; word < end; word += sizeof(void *)) {
    size_t at = td_registry_find(&slots->registered, &word);
    if (at != TD_TABLE_NONE) drop(slots, at); /* most are no slots */
  }
}

/* Looks at each slot, or at each page and at the words of those that have some, whichever are
 * fewer. */
static void forget_within(struct td_weak_slots *slots, uintptr_t start, size_t bytes) {
  const struct td_registry *registered = &slots->registered;
  const struct td_weak_slot *slot = registered->at;
  if (bytes >> PAGE_LOG2 >= registered->count) {
    for (size_t i = registered->count; i-- > 0;) /* what takes a place has been looked at */
      if (slot[i].slot - start < bytes) drop(slots, i);
    return;
  }
  for (uintptr_t low = start, high; low < start + bytes; low = high) {
    high = ((low >> PAGE_LOG2) + 1) << PAGE_LOG2;
    if (high > start + bytes) high = start + bytes;
    if (td_table_get(&slots->pages, low >> PAGE_LOG2) != TD_TABLE_NONE)
      forget_words(slots, low, high);
  }
}

void td_weak_slots_forget_slow(struct tide_heap *heap, uintptr_t start, size_t bytes) {
  pthread_mutex_lock(&heap->finalizers->lock);
  for (int kind = 0; kind < TD_WEAK_KINDS; kind++)
    forget_within(&heap->weak_slots[kind], start, bytes);
  pthread_mutex_unlock(&heap->finalizers->lock);
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
  struct td_weak_slots *slots = &mutator->heap->weak_slots[kind];
  const struct td_weak_slot entry = {(uintptr_t)slot, (uintptr_t)target};
  if (!count_in_page(mutator->heap, slots, entry.slot))
    status = TIDE_ERROR_MEMORY;
  else if ((status = td_registry_add(&slots->registered, &entry)) != TIDE_OK)
    count_out(slots, entry.slot);
  pthread_mutex_unlock(&mutator->heap->finalizers->lock);
  return status;
}

enum tide_status tide_weak_slot_remove(struct tide_mutator *mutator, void *slot,
                                       enum tide_weak_kind kind) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  enum tide_status status = begin(mutator, "tide_weak_slot_remove", slot, kind);
  if (status != TIDE_OK) return status;
  struct td_weak_slots *slots = &mutator->heap->weak_slots[kind];
  size_t at = td_registry_find(&slots->registered, &slot);
  if (at != TD_TABLE_NONE) drop(slots, at);
  status = at == TD_TABLE_NONE ? TIDE_ERROR_ARGUMENT : TIDE_OK;
  pthread_mutex_unlock(&mutator->heap->finalizers->lock);
  return status;
}

enum tide_status tide_weak_slot_move(struct tide_mutator *mutator, void *from, void *to,
                                     enum tide_weak_kind kind) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!to || (uintptr_t)to % sizeof(void *)) return TIDE_ERROR_ARGUMENT;
  enum tide_status status = begin(mutator, "tide_weak_slot_move", from, kind);
  if (status != TIDE_OK) return status;
  struct td_weak_slots *slots = &mutator->heap->weak_slots[kind];
  size_t at = td_registry_find(&slots->registered, &from);
  if (at == TD_TABLE_NONE) {
    status = TIDE_ERROR_ARGUMENT;
  } else if (!count_in_page(mutator->heap, slots, (uintptr_t)to)) {
    status = TIDE_ERROR_MEMORY;
  } else {
    status = td_registry_rename(&slots->registered, at, (uintptr_t)to);
    count_out(slots, (uintptr_t)(status == TIDE_OK ? from : to));
  }
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
  struct td_weak_slots *slots = &heap->weak_slots[kind];
  const struct td_weak_slot *slot = slots->registered.at;
  for (size_t i = slots->registered.count; i-- > 0;) {
    fetch(heap, &slots->registered,
          i - AHEAD); /* wraps around below number 0, and is out of bounds then */
    if (!is_dead(heap, slot[i].target)) continue;
    *(uintptr_t *)slot[i].slot = 0;
    drop(slots, i);
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
    struct td_weak_slots *slots = &heap->weak_slots[kind];
    const struct td_weak_slot *slot = slots->registered.at;
    for (size_t i = slots->registered.count; i-- > 0;)
      if (lies_in_dead(heap, slot[i].slot)) drop(slots, i);
  }
}
