/* Registered and pending finalizers. */
#ifndef TD_GC_WEAK_FINALIZER_H
#define TD_GC_WEAK_FINALIZER_H

#include "gc/base/state.h"

bool td_finalizers_init(struct td_finalizers *finalizers);
void td_finalizers_deinit(struct td_finalizers *finalizers);
/* The part that takes the lock. */
size_t td_finalizers_forget_slow(struct tide_heap *heap, uintptr_t object);
/* Removes an object's finalizers. Returns how many. */
static inline size_t td_finalizers_forget(struct tide_heap *heap, uintptr_t object) {
  /* relaxed: who frees an object comes after who registered it, by the program's own order. */
  bool ever = atomic_load_explicit(&heap->finalizers.ever, memory_order_relaxed);
  return TIDE_LIKELY(!ever) ? 0 : td_finalizers_forget_slow(heap, object);
}

/* Under the lock: makes room in the queue for one more than is registered. Returns false if there
 * is no memory. */
bool td_finalizers_grow_pending(struct td_finalizers *f);
/* Takes the oldest pending one off the queue; false: there is none. Takes the lock. */
bool td_finalizers_take(struct td_finalizers *f, struct td_finalizer *taken);

#endif
