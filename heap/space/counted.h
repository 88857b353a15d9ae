/* SPDX-License-Identifier: MIT */
/* Counts that change under the heap's lock, and that figures are made of without it.
 *
 * There is one writer at a time, so the holder of the lock reads them as they are. */
#ifndef TD_HEAP_SPACE_COUNTED_H
#define TD_HEAP_SPACE_COUNTED_H

#include <stdint.h>

/* Under the lock. `change` may be negative. */
static inline void td_counted_add(uint32_t *count, int64_t change) {
  /* relaxed: see td_counted_look. */
  __atomic_store_n(count, (uint32_t)(*count + change), __ATOMIC_RELAXED);
}

/* Under the lock: for the highest that something has been. */
static inline void td_counted_raise(uint32_t *count, uint32_t value) {
  if (value > *count) td_counted_add(count, (int64_t)value - *count);
}

/* Without the lock. */
static inline uint32_t td_counted_look(const uint32_t *count) {
  /* relaxed: what it was at some moment is all that is asked. */
  return __atomic_load_n(count, __ATOMIC_RELAXED);
}

#endif
