/* SPDX-License-Identifier: MIT */
/* Weak slots in place. */
#ifndef TD_GC_FOREIGN_WEAK_SLOTS_H
#define TD_GC_FOREIGN_WEAK_SLOTS_H

#include "gc/arrays/registry.h"
#include "gc/state/heap.h"

/* Under the finalizers' lock. */
#define TD_WEAK_KINDS 2 /* of enum tide_weak_kind */
struct td_weak_slot {
  uintptr_t slot, target;
};
struct td_weak_slots {
  struct td_registry registered;
  struct td_table pages; /* numbers of pages of the heap -> how many slots lie there */
  _Atomic(bool) inside;  /* one has been in an object; never taken back */
};

void td_weak_slots_init(struct td_weak_slots *slots);
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

/* In a collection, which holds the lock: are there any? */
static inline bool td_weak_slots_any(const struct tide_heap *heap) {
  return heap->weak_slots[0].registered.count + heap->weak_slots[1].registered.count > 0;
}
/* In a collection, which holds the lock: clears and forgets the slots of this kind whose target is
 * unmarked. */
void td_weak_slots_clear(struct tide_heap *heap, enum tide_weak_kind kind);
/* Nothing more will be marked: forgets the slots that lie in unmarked objects. */
void td_weak_slots_forget_dead(struct tide_heap *heap);

#endif
