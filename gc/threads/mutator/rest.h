/* SPDX-License-Identifier: MIT */
/* Who searches a stack that nobody runs on, while a collection marks beside the program: the
 * collector, or the mutator that is about to go on on it. Nobody changes such a stack.
 *
 * [rest] A heap's number grows by two with each such collection. A stack's own number is the same
 * once it was searched, one less while somebody searches it, and two less before. The thread
 * that takes it from two less to one less searches the stack. The mutator goes on when it is the
 * heap's.
 *
 * What the mutator has written to the stack before that collection is seen by the thread that
 * searches it: the world has stood still since. */
#ifndef TD_GC_THREADS_MUTATOR_REST_H
#define TD_GC_THREADS_MUTATOR_REST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef TD_REST_ORDER_DONE /* a model can weaken each */
#define TD_REST_ORDER_DONE memory_order_release
#define TD_REST_ORDER_LOOK memory_order_acquire
#endif

/* Returns whether the caller is the one to search the stack. */
static inline bool td_rest_claim(_Atomic(uint32_t) *number, uint32_t searched) {
  uint32_t before = searched - 2;
  /* relaxed, both: see above; another's search is seen by td_rest_is_over. */
  return atomic_compare_exchange_strong_explicit(number, &before, searched - 1,
                                                 memory_order_relaxed, memory_order_relaxed);
}

/* By that one: it has searched it. */
static inline void td_rest_end(_Atomic(uint32_t) *number, uint32_t searched) {
  /* release [rest]: the mutator changes the stack after that. */
  atomic_store_explicit(number, searched, TD_REST_ORDER_DONE);
}

/* By the mutator: was the stack searched? */
static inline bool td_rest_is_over(_Atomic(uint32_t) *number, uint32_t searched) {
  /* acquire [rest]: pairs with td_rest_end. */
  return atomic_load_explicit(number, TD_REST_ORDER_LOOK) == searched;
}

#endif
