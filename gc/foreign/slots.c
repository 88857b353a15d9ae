/* Clearing weak slots in place.
 *
 * A slot in an object that is about to be reclaimed is cleared like any other: the object is still
 * there, and a finalizer may bring it back. */
#include "gc/foreign/slots.h"

#include "gc/foreign/weak_slot.h"
#include "gc/object/scan.h"
#include "heap/find.h"

/* How far ahead mark bytes are fetched: they lie as scattered as the targets. */
#define AHEAD 8u

static bool is_dead(const struct tide_heap *heap, uintptr_t object) {
  return !td_object_is_marked(&heap->space, object);
}

static void fetch(const struct tide_heap *heap, const struct td_weak_slots *slots, size_t i) {
  if (i < slots->count)
    __builtin_prefetch(&heap->space.marks[td_granule_of(heap->space.base, slots->at[i].target)]);
}

/* The last one takes the place of number i. */
static void forget(struct td_weak_slots *slots, size_t i) {
  struct td_weak_slot gone = slots->at[i], last = slots->at[--slots->count];
  slots->at[i] = last;
  td_table_put(&slots->index, last.slot, i); /* there already: cannot fail */
  td_table_remove(&slots->index, gone.slot);
}

void td_slots_clear(struct tide_heap *heap, enum tide_weak_kind kind) {
  struct td_weak_slots *slots = &heap->weak_slots[kind];
  for (size_t i = slots->count; i-- > 0;) {
    fetch(heap, slots, i - AHEAD); /* wraps around below number 0, and is out of bounds then */
    if (!is_dead(heap, slots->at[i].target)) continue;
    *(uintptr_t *)slots->at[i].slot = 0;
    forget(slots, i);
  }
}

/* Does the slot lie in memory of the heap that holds no object any more? A free cell was one. A
 * slot is no word of the program: it may lie anywhere in an object, whichever words keep that
 * alive. */
static bool lies_in_dead(const struct tide_heap *heap, uintptr_t slot) {
  if (slot - heap->space.base >= heap->space.reserved_bytes) return false;
  uintptr_t object = td_space_find_any(&heap->space, slot);
  return !object || is_dead(heap, object);
}

void td_slots_forget(struct tide_heap *heap) {
  for (int kind = 0; kind < TD_WEAK_KINDS; kind++) {
    struct td_weak_slots *slots = &heap->weak_slots[kind];
    for (size_t i = slots->count; i-- > 0;)
      if (lies_in_dead(heap, slots->at[i].slot)) forget(slots, i);
  }
}
