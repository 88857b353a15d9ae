/* SPDX-License-Identifier: MIT */
/* The deque of Job System 2.0: a fixed ring, and nothing but plain accesses and two locked ones.
 *
 * Source: S. Reinalter, Job System 2.0: Lock-Free Work Stealing, Part 3: Going lock-free, Molecular
 * Musings, 2015. It is the algorithm of marker/queue/abp.h with another way to order the owner's
 * claim: a get exchanges `bottom` instead of storing it before a full fence. The text is for x86,
 * where the exchange is the only barrier that it needs. Here the same instructions come from C11's
 * orders, which hold on other machines too. Differs further as abp.h does: 64-bit indices that
 * never wrap, the owner's own copies of `bottom` and `top`, and "full" instead of an assertion.
 *
 * There are no fences, so a race detector that does not model them can check it as it is.
 *
 * Invariants: top <= bottom + 1; the items are [top, bottom); top only grows, by compare-and-swap;
 * only the owner writes bottom and slots. */
#ifndef TD_BENCH_RIVALS_RING_H
#define TD_BENCH_RIVALS_RING_H

#include "marker/queue/contract.h"

struct td_ring {
  /* Constant after init. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) *slots;
  uint64_t mask;
  /* Thieves compare-and-swap, and the owner for the last item: [ring.claim]. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) top;
  /* The owner writes, thieves read: [ring.item]. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) bottom;
};

struct td_ring_owner {
  uint64_t bottom;
  uint64_t top_seen; /* top when last looked at, so never more than top */
};

static inline size_t td_ring_storage_bytes(uint32_t blocks, uint32_t entries) {
  return td_queue_bytes(blocks, entries, sizeof(_Atomic(uint64_t)), 0);
}

static inline void td_ring_init(struct td_ring *q, struct td_ring_owner *o, void *storage,
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

static inline bool td_ring_put(struct td_ring *q, struct td_ring_owner *o, uint64_t item) {
  uint64_t bottom = o->bottom;
  if (TD_UNLIKELY(bottom - o->top_seen > q->mask)) {
    /* acquire [ring.claim]: thieves have read the slots they claimed before we overwrite them. */
    o->top_seen = atomic_load_explicit(&q->top, TD_ORDER(ring, put_top, acquire));
    if (bottom - o->top_seen > q->mask) return false;
  }
  /* relaxed: published by the store of bottom; atomic because a late thief may still read. */
  atomic_store_explicit(&q->slots[bottom & q->mask], item, memory_order_relaxed);
  o->bottom = bottom + 1;
  /* release [ring.item]: the item. A store is enough, because get exchanges bottom, and an exchange
   * releases again. */
  atomic_store_explicit(&q->bottom, bottom + 1, TD_ORDER(ring, put_bottom, release));
  return true;
}

/* The owner competes with thieves for the item at top == bottom. */
static inline uint64_t td_ring_get_last(struct td_ring *q, struct td_ring_owner *o, uint64_t bottom,
                                        uint64_t item) {
  uint64_t top = bottom;
  /* One winner: the order of changes of top decides. release [ring.claim]: a thief that sees this
   * top sees how far get has lowered bottom. acquire [ring.claim], won or lost: thieves have read
   * the slots they claimed before we overwrite them. */
  bool won = !TD_STEP(ring, last) || atomic_compare_exchange_strong_explicit(
                                         &q->top, &top, bottom + 1,
                                         TD_ORDER(ring, claim_last, acq_rel), memory_order_acquire);
  o->bottom = bottom + 1;
  o->top_seen = bottom + 1;
  /* relaxed: the queue is empty, whichever of the two values a thief sees. */
  atomic_store_explicit(&q->bottom, bottom + 1, memory_order_relaxed);
  return won ? item : 0;
}

static inline uint64_t td_ring_get(struct td_ring *q, struct td_ring_owner *o) {
  uint64_t bottom = o->bottom - 1;
  /* top is at least top_seen, so this needs no look at it. */
  if (bottom < o->top_seen) return 0;
  /* seq_cst, both. They forbid: the owner misses a thief's claim of this item, and the thief misses
   * that the owner has lowered bottom past it; then both would take it. See td_ring_steal_one. The
   * exchange also releases [ring.item] what put released before it. */
  atomic_exchange_explicit(&q->bottom, bottom, TD_ORDER(ring, get_bottom, seq_cst));
  uint64_t top = atomic_load_explicit(&q->top, TD_ORDER(ring, get_top, seq_cst));
  if (top > bottom) {
    o->bottom = top;
    o->top_seen = top;
    /* relaxed: back to "empty". */
    atomic_store_explicit(&q->bottom, top, memory_order_relaxed);
    return 0;
  }
  /* relaxed: this thread wrote it. */
  uint64_t item = atomic_load_explicit(&q->slots[bottom & q->mask], memory_order_relaxed);
  TD_ASSUME(item != 0);
  if (top == bottom) return td_ring_get_last(q, o, bottom, item);
  o->bottom = bottom;
  return item;
}

static inline int32_t td_ring_steal_one(struct td_ring *q, uint64_t *out) {
  /* acquire [ring.claim]: bottom, read next, is not older than the claim that this top comes from.
   * seq_cst: C++20 and RC11 order the claim before the look at bottom only if this look at top is
   * in their one order, too. Else a thief finds what another has claimed below an item, and not
   * that the owner has got that item meanwhile: it takes the item a second time. */
  uint64_t top = atomic_load_explicit(&q->top, TD_ORDER(ring, steal_top, seq_cst));
  /* acquire [ring.item]: the item. seq_cst: after the claims that made top what it is, and so after
   * the owner's exchange of bottom if the owner has missed one of them. */
  uint64_t bottom = atomic_load_explicit(&q->bottom, TD_ORDER(ring, steal_bottom, seq_cst));
  if (top >= bottom) return 0;
  /* relaxed: if the slot has been overwritten, the claim fails. */
  uint64_t item = atomic_load_explicit(&q->slots[top & q->mask], memory_order_relaxed);
  /* seq_cst [ring.claim]: before or after the owner's look at top, in one order with the accesses
   * of bottom. */
  if (!atomic_compare_exchange_strong_explicit(
          &q->top, &top, top + 1, TD_ORDER(ring, claim, seq_cst), memory_order_relaxed))
    return -1;
  *out = item;
  return 1;
}

/* Several items need several claims, as in marker/queue/chase_lev.h. */
static inline int32_t td_ring_steal(struct td_ring *q, uint64_t *out, uint32_t max) {
  uint32_t taken = 0;
  while (taken < max) {
    int32_t got = td_ring_steal_one(q, out + taken);
    if (got <= 0) return taken > 0 ? (int32_t)taken : got;
    taken++;
  }
  return (int32_t)taken;
}

static inline uint64_t td_ring_size(struct td_ring const *q) {
  /* relaxed, both: an estimate. */
  uint64_t top = atomic_load_explicit(&q->top, memory_order_relaxed);
  uint64_t bottom = atomic_load_explicit(&q->bottom, memory_order_relaxed);
  return bottom > top ? bottom - top : 0;
}

static inline uint64_t td_ring_owned(struct td_ring_owner const *o) {
  return o->bottom - o->top_seen;
}

TD_QUEUE_WITHOUT_WISHES(ring);
TD_QUEUE_BOUNDED(ring);
TD_QUEUE_BY_ITSELF(ring);

#endif
