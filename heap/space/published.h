/* SPDX-License-Identifier: MIT */
/* What a block holds, for threads that look at it without the heap's lock.
 *
 * [small] Between collections a free block may become one of cells, and one of cells stays what it
 * is: only sorting gives it back. So the mutator that formats a block writes all that does not
 * change until then, the marks of its cells included, and says last that it is SMALL. A thread that
 * reads SMALL reads the rest as written. A thread that still reads FREE knows of no object there,
 * because it is told of one after the block was made SMALL. Blocks of long objects may also be
 * given back and become others between collections; a thread that meets one takes the lock. */
#ifndef TD_HEAP_SPACE_PUBLISHED_H
#define TD_HEAP_SPACE_PUBLISHED_H

#include <stdatomic.h>
#include <stdint.h>

#ifndef TD_SMALL_ORDER_TELL /* a model can weaken both */
#define TD_SMALL_ORDER_TELL memory_order_release
#define TD_SMALL_ORDER_LOOK memory_order_acquire
#endif

static inline void td_published_tell(_Atomic(uint8_t) *state, uint8_t value) {
  /* release [small]: after all else that the block holds; pairs with td_published_look. */
  atomic_store_explicit(state, value, TD_SMALL_ORDER_TELL);
}

static inline uint8_t td_published_look(const _Atomic(uint8_t) *state) {
  /* acquire [small]: pairs with td_published_tell. */
  return atomic_load_explicit(state, TD_SMALL_ORDER_LOOK);
}

#endif
