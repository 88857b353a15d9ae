/* Registering weak slots in place. The finalizers' lock guards them: a collection holds it. */
#include "gc/foreign/weak_slot.h"

#include <stdlib.h>

#include "gc/check/caller/check.h"
#include "gc/object/find.h"
#include "gc/threads/inside.h"
#include "gc/weak/finalizers.h"
#include "tide/foreign.h"

void td_weak_slots_deinit(struct td_weak_slots *slots) {
  free(slots->at);
  td_table_free(&slots->index);
}

static bool make_room(struct td_weak_slots *slots) {
  if (slots->count < slots->capacity) return true;
  size_t capacity = slots->capacity ? slots->capacity * 2 : 16;
  struct td_weak_slot *larger = realloc(slots->at, capacity * sizeof *larger);
  if (!larger) return false;
  slots->at = larger;
  slots->capacity = capacity;
  return true;
}

static enum tide_status add(struct td_weak_slots *slots, uintptr_t slot, uintptr_t target) {
  if (td_table_get(&slots->index, slot) != TD_TABLE_NONE) return TIDE_ERROR_STATE;
  if (!make_room(slots) || !td_table_put(&slots->index, slot, slots->count))
    return TIDE_ERROR_MEMORY;
  slots->at[slots->count++] = (struct td_weak_slot){slot, target};
  return TIDE_OK;
}

static enum tide_status drop(struct td_weak_slots *slots, uintptr_t slot) {
  size_t at = td_table_get(&slots->index, slot);
  if (at == TD_TABLE_NONE) return TIDE_ERROR_ARGUMENT;
  struct td_weak_slot last = slots->at[--slots->count];
  slots->at[at] = last;
  td_table_put(&slots->index, last.slot, at);
  td_table_remove(&slots->index, slot);
  return TIDE_OK;
}

static enum tide_status move(struct td_weak_slots *slots, uintptr_t from, uintptr_t to) {
  size_t at = td_table_get(&slots->index, from);
  if (at == TD_TABLE_NONE) return TIDE_ERROR_ARGUMENT;
  if (td_table_get(&slots->index, to) != TD_TABLE_NONE) return TIDE_ERROR_STATE;
  if (!td_table_put(&slots->index, to, at)) return TIDE_ERROR_MEMORY;
  slots->at[at].slot = to;
  td_table_remove(&slots->index, from);
  return TIDE_OK;
}

/* Looks at each slot or at each word, whichever are fewer. */
static void forget_within(struct td_weak_slots *slots, uintptr_t start, size_t bytes) {
  if (bytes / sizeof(void *) < slots->count) {
    for (uintptr_t word = start; word < start + bytes; word += sizeof(void *))
      (void)drop(slots, word); /* most are no slots */
    return;
  }
  for (size_t i = slots->count; i-- > 0;) /* the one that takes a place has been looked at */
    if (slots->at[i].slot - start < bytes) (void)drop(slots, slots->at[i].slot);
}

void td_weak_slots_forget_slow(struct tide_heap *heap, uintptr_t start, size_t bytes) {
  pthread_mutex_lock(&heap->finalizers->lock);
  for (int kind = 0; kind < TD_WEAK_KINDS; kind++)
    forget_within(&heap->weak_slots[kind], start, bytes);
  pthread_mutex_unlock(&heap->finalizers->lock);
}

static void note_place(struct tide_heap *heap, enum tide_weak_kind kind, uintptr_t slot) {
  /* relaxed: as in td_weak_slots_forget. */
  if (slot - heap->space.base < heap->space.reserved_bytes)
    atomic_store_explicit(&heap->weak_slots[kind].inside, true, memory_order_relaxed);
}

/* Returns TIDE_OK with the lock taken. */
static enum tide_status begin(struct tide_mutator *mutator, const char *function, const void *slot,
                              enum tide_weak_kind kind) {
  if (!td_mutator_may_act(mutator, function))
    return mutator ? TIDE_ERROR_STATE : TIDE_ERROR_ARGUMENT;
  if (!slot || (uintptr_t)slot % sizeof(void *) ||
      (kind != TIDE_WEAK_BEFORE && kind != TIDE_WEAK_AFTER))
    return TIDE_ERROR_ARGUMENT;
  pthread_mutex_lock(&mutator->heap->finalizers->lock);
  return TIDE_OK;
}

enum tide_status tide_weak_slot_add(struct tide_mutator *mutator, void *slot, const void *target,
                                    enum tide_weak_kind kind) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (td_mutator_may_act(mutator, "tide_weak_slot_add") &&
      (!target || !td_object_begins(mutator->heap, target)))
    return TIDE_ERROR_ARGUMENT;
  enum tide_status status = begin(mutator, "tide_weak_slot_add", slot, kind);
  if (status != TIDE_OK) return status;
  note_place(mutator->heap, kind, (uintptr_t)slot);
  status = add(&mutator->heap->weak_slots[kind], (uintptr_t)slot, (uintptr_t)target);
  pthread_mutex_unlock(&mutator->heap->finalizers->lock);
  return status;
}

enum tide_status tide_weak_slot_remove(struct tide_mutator *mutator, void *slot,
                                       enum tide_weak_kind kind) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  enum tide_status status = begin(mutator, "tide_weak_slot_remove", slot, kind);
  if (status != TIDE_OK) return status;
  status = drop(&mutator->heap->weak_slots[kind], (uintptr_t)slot);
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
  status = move(&mutator->heap->weak_slots[kind], (uintptr_t)from, (uintptr_t)to);
  pthread_mutex_unlock(&mutator->heap->finalizers->lock);
  return status;
}
