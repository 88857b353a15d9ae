/* Objects that are kept alive until they are let go. */
#ifndef TD_GC_ROOTS_PIN_H
#define TD_GC_ROOTS_PIN_H

#include "gc/base/state.h"

/* Lets an object go. Returns false if it was not kept. */
bool td_pin_remove_known(struct tide_heap *heap, uintptr_t object);
/* Is an object kept so? Takes the lock, as removing does. */
bool td_pin_has_known(struct tide_heap *heap, uintptr_t object);

/* Programs that keep none pay for a look. */
static inline bool td_pin_was_any(const struct tide_heap *heap) {
  /* relaxed: who frees an object comes after who pinned it, by the program's own order. */
  return atomic_load_explicit(&heap->roots.ever_pinned, memory_order_relaxed);
}
static inline bool td_pin_remove(struct tide_heap *heap, uintptr_t object) {
  return TIDE_LIKELY(!td_pin_was_any(heap)) ? false : td_pin_remove_known(heap, object);
}
static inline bool td_pin_has(struct tide_heap *heap, uintptr_t object) {
  return TIDE_LIKELY(!td_pin_was_any(heap)) ? false : td_pin_has_known(heap, object);
}

#endif
