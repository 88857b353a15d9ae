/* Weak slots in place: what is registered. */
#ifndef TD_GC_FOREIGN_WEAK_SLOT_H
#define TD_GC_FOREIGN_WEAK_SLOT_H

#include "gc/arrays/table.h"
#include "gc/state/heap.h"

/* Under the finalizers' lock. */
#define TD_WEAK_KINDS 2 /* of enum tide_weak_kind */
struct td_weak_slot {
  uintptr_t slot, target;
};
struct td_weak_slots {
  struct td_weak_slot *at;
  size_t count, capacity;
  struct td_table index; /* slot -> position */
  _Atomic(bool) inside;  /* one has been in an object; never taken back */
};

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
