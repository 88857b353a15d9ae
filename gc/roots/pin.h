/* SPDX-License-Identifier: MIT */
/* Objects that are kept alive until they are let go.
 *
 * A byte for each granule tells whether the object that begins there is pinned, and whether it is
 * on the list of them. The list is a root. To let an object go changes its byte only. A
 * collection takes those that are not pinned off the list, so the rest stays in the order in which
 * they were pinned, which is most often the order in which they lie. An object that is pinned anew
 * before that is still listed.
 *
 * The byte of an object is written by threads that pin it and let it go, which the program
 * keeps in order, and with the world stopped. */
#ifndef TD_GC_ROOTS_PIN_H
#define TD_GC_ROOTS_PIN_H

#include "gc/state/heap.h"

/* Objects that are kept alive. */
struct td_pins {
  /* A byte for each granule, TD_PIN_…; NULL until an object is pinned. Set under the lock. */
  _Atomic(_Atomic(uint8_t) *) bytes;
  size_t from, to;   /* under the lock: which of them may be written; the others are zero */
  uintptr_t *listed; /* under the lock: what has TD_PIN_LISTED, in order of pinning */
  size_t count, capacity;
};

#define TD_PIN_PINNED 1u
#define TD_PIN_LISTED 2u

/* Returns the byte of the object; NULL if none was ever pinned, and for what is no object. */
static inline _Atomic(uint8_t) *td_pin_byte(const struct tide_heap *heap, uintptr_t object) {
  /* relaxed: a question about a pinned object comes after pinning it, by the program's own order.
   * About any other it makes no difference whether there are bytes, which come zeroed. */
  _Atomic(uint8_t) *bytes = atomic_load_explicit(&heap->pins->bytes, memory_order_relaxed);
  uint64_t granule = td_granule_of(heap->space.base, object);
  return bytes && granule < heap->space.granules ? &bytes[granule] : NULL;
}
/* Is the object pinned? */
static inline bool td_pin_has(const struct tide_heap *heap, uintptr_t object) {
  const _Atomic(uint8_t) *byte = td_pin_byte(heap, object);
  /* relaxed: see above. */
  return byte && atomic_load_explicit(byte, memory_order_relaxed) & TD_PIN_PINNED;
}
/* Lets an object go. Returns false if it was not pinned. */
static inline bool td_pin_remove(const struct tide_heap *heap, uintptr_t object) {
  if (!td_pin_has(heap, object)) return false;
  /* relaxed: see above. */
  atomic_store_explicit(td_pin_byte(heap, object), TD_PIN_LISTED, memory_order_relaxed);
  return true;
}

/* Takes off the list what is not pinned. World stopped. */
void td_pins_tidy(struct tide_heap *heap);
/* At the end of a heap, before its space. */
void td_pins_deinit(struct tide_heap *heap);

#endif
