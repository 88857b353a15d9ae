/* Objects that are kept alive until they are let go. */
#ifndef TD_GC_ROOTS_PIN_H
#define TD_GC_ROOTS_PIN_H

#include "gc/base/state.h"

/* The parts that take the lock: only where an object was ever pinned. */
bool td_pin_remove_slow(struct tide_heap *heap, uintptr_t object);
bool td_pin_has_slow(struct tide_heap *heap, uintptr_t object);

static inline bool td_pin_never(const struct tide_heap *heap) {
  /* relaxed: who frees an object comes after who pinned it, by the program's own order. */
  return !atomic_load_explicit(&heap->roots.ever_pinned, memory_order_relaxed);
}
/* Lets an object go. Returns false if it was not pinned. */
static inline bool td_pin_remove(struct tide_heap *heap, uintptr_t object) {
  return !TIDE_LIKELY(td_pin_never(heap)) && td_pin_remove_slow(heap, object);
}
/* Is the object pinned? */
static inline bool td_pin_has(struct tide_heap *heap, uintptr_t object) {
  return !TIDE_LIKELY(td_pin_never(heap)) && td_pin_has_slow(heap, object);
}

#endif
