/* SPDX-License-Identifier: MIT */
/* The bounded array deque of Arora, Blumofe and Plaxton with Chase and Lev's circular indices.
 *
 * Every item is visible to thieves at once, which costs the owner a full fence per get. Orders are
 * those of Lê et al., Correct and Efficient Work-Stealing for Weak Memory Models, PPoPP 2013.
 * Differs: the deque is bounded; indices have 64 bits and never wrap, so that no tag is needed; the
 * owner keeps bottom and its last look at top to itself, and reads neither back.
 *
 * There is a second set of orders, all sequentially consistent and without fences, for
 * bench/rivals/abp_sc.h. A race detector that does not model fences needs it too
 * (TD_QUEUE_FENCE_FREE).
 *
 * Invariants: top <= bottom + 1; the items are [top, bottom); top only grows, by compare-and-swap;
 * only the owner writes bottom and slots. */
#ifndef TD_MARKER_QUEUE_ABP_H
#define TD_MARKER_QUEUE_ABP_H

#include "marker/queue/contract.h"

enum td_abp_orders {
#ifdef TD_QUEUE_FENCE_FREE
  TD_ABP_OPTIMISED = 1,
#else
  TD_ABP_OPTIMISED = 0,
#endif
  TD_ABP_ALL_SC = 1
};

struct td_abp {
  /* Constant after init. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) *slots;
  uint64_t mask;
  /* Thieves compare-and-swap, and the owner for the last item: [abp.claim]. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) top;
  /* The owner writes, thieves read: [abp.item]. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) bottom;
};

struct td_abp_owner {
  uint64_t bottom;
  uint64_t top_seen; /* top when last looked at, so never more than top */
};

static inline size_t td_abp_storage_bytes(uint32_t blocks, uint32_t entries) {
  return td_queue_bytes(blocks, entries, sizeof(_Atomic(uint64_t)), 0);
}

static inline void td_abp_init(struct td_abp *q, struct td_abp_owner *o, void *storage,
                               uint32_t blocks, uint32_t entries) {
  q->slots = (_Atomic(uint64_t) *)storage;
  q->mask = (uint64_t)blocks * entries - 1;
  for (uint64_t i = 0; i <= q->mask; i++)
    TD_STORAGE_ATOMIC_INIT(&q->slots[i], UINT64_C(0));
  /* They start at 1, so that bottom - 1 is not negative. */
  atomic_init(&q->top, UINT64_C(1));
  atomic_init(&q->bottom, UINT64_C(1));
  o->bottom = 1;
  o->top_seen = 1;
}

static inline bool td_abp_put_with(struct td_abp *q, struct td_abp_owner *o, uint64_t item,
                                   enum td_abp_orders orders) {
  uint64_t bottom = o->bottom;
  if (TD_UNLIKELY(bottom - o->top_seen > q->mask)) {
    /* acquire [abp.claim]: thieves have read the slots they claimed before we overwrite them. */
    o->top_seen = atomic_load_explicit(
        &q->top, orders == TD_ABP_ALL_SC ? memory_order_seq_cst : TD_ORDER(abp, put_top, acquire));
    if (bottom - o->top_seen > q->mask) return false;
  }
  /* relaxed: published by the store of bottom; atomic because a late thief may still read. */
  atomic_store_explicit(&q->slots[bottom & q->mask], item, memory_order_relaxed);
  o->bottom = bottom + 1;
  if (orders == TD_ABP_ALL_SC) {
    atomic_store_explicit(&q->bottom, bottom + 1, memory_order_seq_cst);
  } else if (TD_STEP(abp, put_fence)) {
    /* release [abp.item]. A fence, not a release store: it also covers the relaxed stores of
     * bottom in get, from which a thief may learn of this item. */
    atomic_thread_fence(TD_ORDER(abp, put_fence, release));
    atomic_store_explicit(&q->bottom, bottom + 1, memory_order_relaxed);
  } else {
    atomic_store_explicit(&q->bottom, bottom + 1, memory_order_release);
  }
  return true;
}

/* The owner competes with thieves for the item at top == bottom. */
static inline uint64_t td_abp_get_last(struct td_abp *q, struct td_abp_owner *o, uint64_t bottom,
                                       uint64_t item, enum td_abp_orders orders) {
  uint64_t top = bottom;
  /* seq_cst: one winner, in the total order of claims and fences.  relaxed on failure: lost. */
  bool won = !TD_STEP(abp, last) || atomic_compare_exchange_strong_explicit(
                                        &q->top, &top, bottom + 1,
                                        TD_ORDER(abp, claim_last, seq_cst), memory_order_relaxed);
  o->bottom = bottom + 1;
  o->top_seen = bottom + 1;
  /* relaxed: the queue is empty, whichever of the two values a thief sees. */
  atomic_store_explicit(&q->bottom, bottom + 1,
                        orders == TD_ABP_ALL_SC ? memory_order_seq_cst : memory_order_relaxed);
  return won ? item : 0;
}

static inline uint64_t td_abp_get_with(struct td_abp *q, struct td_abp_owner *o,
                                       enum td_abp_orders orders) {
  uint64_t bottom = o->bottom - 1;
  /* top is at least top_seen, so this needs no look at it. */
  if (bottom < o->top_seen) return 0;
  uint64_t top;
  if (orders == TD_ABP_ALL_SC) {
    atomic_store_explicit(&q->bottom, bottom, memory_order_seq_cst);
    top = atomic_load_explicit(&q->top, memory_order_seq_cst);
  } else {
    atomic_store_explicit(&q->bottom, bottom, memory_order_relaxed);
    /* Forbids: the owner misses a thief's claim of this item, and the thief misses that the owner
     * has lowered bottom past it; then both would take it. See td_abp_steal_one. */
    atomic_thread_fence(TD_ORDER(abp, get_fence, seq_cst));
    top = atomic_load_explicit(&q->top, memory_order_relaxed);
  }
  if (top > bottom) {
    o->bottom = top;
    o->top_seen = top;
    /* relaxed: back to "empty". */
    atomic_store_explicit(&q->bottom, top,
                          orders == TD_ABP_ALL_SC ? memory_order_seq_cst : memory_order_relaxed);
    return 0;
  }
  /* relaxed: this thread wrote it. */
  uint64_t item = atomic_load_explicit(&q->slots[bottom & q->mask], memory_order_relaxed);
  TD_ASSUME(item != 0);
  if (top == bottom) return td_abp_get_last(q, o, bottom, item, orders);
  o->bottom = bottom;
  return item;
}

static inline int32_t td_abp_steal_one(struct td_abp *q, uint64_t *out, enum td_abp_orders orders) {
  /* relaxed: the fence that follows acquires [abp.claim], so a slot read below is not older than
   * what top says. */
  uint64_t top = atomic_load_explicit(&q->top, orders == TD_ABP_ALL_SC ? memory_order_seq_cst
                                                                       : memory_order_relaxed);
  /* Forbids the outcome named in td_abp_get_with. */
  if (orders != TD_ABP_ALL_SC) atomic_thread_fence(TD_ORDER(abp, steal_fence, seq_cst));
  /* acquire [abp.item]: the item. */
  uint64_t bottom = atomic_load_explicit(&q->bottom, orders == TD_ABP_ALL_SC
                                                         ? memory_order_seq_cst
                                                         : TD_ORDER(abp, steal_bottom, acquire));
  if (top >= bottom) return 0;
  /* relaxed: if the slot has been reused, top has moved and the claim fails. */
  uint64_t item = atomic_load_explicit(&q->slots[top & q->mask], memory_order_relaxed);
  /* seq_cst [abp.claim]: as in td_abp_get_last. */
  if (!atomic_compare_exchange_strong_explicit(&q->top, &top, top + 1,
                                               TD_ORDER(abp, claim, seq_cst), memory_order_relaxed))
    return -1;
  *out = item;
  return 1;
}

/* Several items need several claims: the owner takes without one, so a single claim of a range
 * could include what the owner has just taken. */
static inline int32_t td_abp_steal_with(struct td_abp *q, uint64_t *out, uint32_t max,
                                        enum td_abp_orders orders) {
  uint32_t taken = 0;
  while (taken < max) {
    int32_t got = td_abp_steal_one(q, out + taken, orders);
    if (got <= 0) return taken > 0 ? (int32_t)taken : got;
    taken++;
  }
  return (int32_t)taken;
}

static inline uint64_t td_abp_size(struct td_abp const *q) {
  /* relaxed, both: an estimate. */
  uint64_t top = atomic_load_explicit(&q->top, memory_order_relaxed);
  uint64_t bottom = atomic_load_explicit(&q->bottom, memory_order_relaxed);
  return bottom > top ? bottom - top : 0;
}

static inline bool td_abp_put(struct td_abp *q, struct td_abp_owner *o, uint64_t item) {
  return td_abp_put_with(q, o, item, TD_ABP_OPTIMISED);
}

static inline uint64_t td_abp_get(struct td_abp *q, struct td_abp_owner *o) {
  return td_abp_get_with(q, o, TD_ABP_OPTIMISED);
}

static inline int32_t td_abp_steal(struct td_abp *q, uint64_t *out, uint32_t max) {
  return td_abp_steal_with(q, out, max, TD_ABP_OPTIMISED);
}

TD_QUEUE_WITHOUT_WISHES(abp);
TD_QUEUE_BOUNDED(abp);
TD_QUEUE_BY_ITSELF(abp);

static inline uint64_t td_abp_owned(struct td_abp_owner const *o) {
  return o->bottom - o->top_seen;
}

#endif
