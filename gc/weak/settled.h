/* The list of objects that have one finalizer of their own. Under the finalizers' lock. */
#ifndef TD_GC_WEAK_SETTLED_H
#define TD_GC_WEAK_SETTLED_H

#include "gc/arrays/table.h"
#include "gc/state/heap.h"

#include <stdatomic.h>

/* One finalizer to an object; under the finalizers' lock. */
struct td_set_finalizer {
  uintptr_t object;
  tide_finalizer_fn call;
  uint8_t order; /* enum tide_finalizer_order */
};
#define TD_SETTLED_WORDS 32u
struct td_set_finalizers {
  struct td_set_finalizer *at;
  uintptr_t *contexts; /* of the same numbers: a root */
  size_t count, capacity;
  struct td_table index; /* object -> position */
  /* Bits by address (a Bloom filter of one hash) of what ever had a finalizer here. Set under the
   * lock, read without it by threads that free. */
  _Atomic(uint64_t) seen[TD_SETTLED_WORDS];
};

void td_settled_deinit(struct td_set_finalizers *set);
/* Adds the object, or replaces number `at`, which is TD_TABLE_NONE for a new one. Returns false if
 * there is no memory. */
bool td_settled_put(struct td_set_finalizers *set, size_t at,
                    const struct td_set_finalizer *finalizer, uintptr_t context);

/* Returns the object's bit in the filter. */
static inline uint32_t td_settled_bit(uintptr_t object) {
  _Static_assert(TD_SETTLED_WORDS * 64 == 1u << 11, "bits of the filter");
  return (uint32_t)(((uint64_t)object * 0x9e3779b97f4a7c15u) >> (64 - 11)); /* Fibonacci hashing */
}

/* Returns false if the object never had a finalizer here. Needs no lock. */
static inline bool td_settled_may_have(const struct td_set_finalizers *set, uintptr_t object) {
  uint32_t bit = td_settled_bit(object);
  /* relaxed: see td_settled_put. */
  return atomic_load_explicit(&set->seen[bit / 64], memory_order_relaxed) >> (bit % 64) & 1;
}

/* Removes number `at`; the last one takes its place. Allocates nothing. */
void td_settled_forget(struct td_set_finalizers *set, size_t at);

#endif
