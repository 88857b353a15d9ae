/* Weak slots in place: what is registered. */
#ifndef TD_GC_FOREIGN_WEAK_SLOT_H
#define TD_GC_FOREIGN_WEAK_SLOT_H

#include "gc/base/state.h"

void td_weak_slots_deinit(struct td_weak_slots *slots);
/* The part that takes the lock. */
void td_weak_slots_forget_slow(struct tide_heap *heap, uintptr_t start, size_t bytes);
/* Forgets the slots in memory that is about to be another object's. */
static inline void td_weak_slots_forget(struct tide_heap *heap, uintptr_t start, size_t bytes) {
  for (int kind = 0; kind < TD_WEAK_KINDS; kind++)
    /* relaxed: freeing an object comes after registering its slots, by the program's own order. */
    if (atomic_load_explicit(&heap->weak_slots[kind].inside, memory_order_relaxed)) {
      td_weak_slots_forget_slow(heap, start, bytes);
      return;
    }
}

#endif
