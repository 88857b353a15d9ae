/* Finalizers of which an object has one. */
#ifndef TD_GC_WEAK_FINALIZER_SET_H
#define TD_GC_WEAK_FINALIZER_SET_H

#include "gc/weak/finalizer.h"
#include "gc/weak/settled.h"

/* The part that takes the lock. */
void td_finalizer_set_forget_slow(struct tide_heap *heap, uintptr_t object);
/* Removes the object's, if it has one. */
static inline void td_finalizer_set_forget(struct tide_heap *heap, uintptr_t object) {
  if (!TIDE_LIKELY(!td_settled_may_have(&heap->finalizers->set, object)))
    td_finalizer_set_forget_slow(heap, object);
}

#endif
