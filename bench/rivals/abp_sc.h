/* SPDX-License-Identifier: MIT */
/* The bounded deque of marker/queue/abp.h with every shared access sequentially consistent, and no
 * fence: what one gets by writing it down without thinking about memory orders. */
#ifndef TD_BENCH_RIVALS_ABP_SC_H
#define TD_BENCH_RIVALS_ABP_SC_H

#include "marker/queue/contract.h"

struct td_abp_sc {
  /* Constant after init. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) *slots;
  uint64_t mask;
  /* Thieves compare-and-swap, and the owner for the last item. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) top;
  /* The owner writes, thieves read. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) bottom;
};

struct td_abp_sc_owner {
  uint64_t bottom;
  uint64_t top_seen; /* top when last looked at, so never more than top */
};

static inline size_t td_abp_sc_storage_bytes(uint32_t blocks, uint32_t entries) {
  return td_queue_bytes(blocks, entries, sizeof(_Atomic(uint64_t)), 0);
}

static inline void td_abp_sc_init(struct td_abp_sc *q, struct td_abp_sc_owner *o, void *storage,
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

static inline bool td_abp_sc_put(struct td_abp_sc *q, struct td_abp_sc_owner *o, uint64_t item) {
  uint64_t bottom = o->bottom;
  if (TD_UNLIKELY(bottom - o->top_seen > q->mask)) {
    o->top_seen = atomic_load_explicit(&q->top, memory_order_seq_cst);
    if (bottom - o->top_seen > q->mask) return false;
  }
  /* relaxed: published by the store of bottom; atomic because a late thief may still read. */
  atomic_store_explicit(&q->slots[bottom & q->mask], item, memory_order_relaxed);
  o->bottom = bottom + 1;
  atomic_store_explicit(&q->bottom, bottom + 1, memory_order_seq_cst);
  return true;
}

static inline uint64_t td_abp_sc_get(struct td_abp_sc *q, struct td_abp_sc_owner *o) {
  uint64_t bottom = o->bottom - 1;
  /* top is at least top_seen, so this needs no look at it. */
  if (bottom < o->top_seen) return 0;
  atomic_store_explicit(&q->bottom, bottom, memory_order_seq_cst);
  uint64_t top = atomic_load_explicit(&q->top, memory_order_seq_cst);
  uint64_t item = 0;
  if (top <= bottom) {
    /* relaxed: this thread wrote it. */
    item = atomic_load_explicit(&q->slots[bottom & q->mask], memory_order_relaxed);
    TD_ASSUME(item != 0);
    if (top != bottom) {
      o->bottom = bottom;
      return item;
    }
    top = bottom;
    /* The last item: one winner. relaxed on failure: lost. */
    if (!atomic_compare_exchange_strong_explicit(&q->top, &top, bottom + 1, memory_order_seq_cst,
                                                 memory_order_relaxed))
      item = 0;
    top = bottom + 1;
  }
  o->bottom = top;
  o->top_seen = top;
  atomic_store_explicit(&q->bottom, top, memory_order_seq_cst);
  return item;
}

static inline int32_t td_abp_sc_steal_one(struct td_abp_sc *q, uint64_t *out) {
  uint64_t top = atomic_load_explicit(&q->top, memory_order_seq_cst);
  uint64_t bottom = atomic_load_explicit(&q->bottom, memory_order_seq_cst);
  if (top >= bottom) return 0;
  /* relaxed: if the slot has been reused, top has moved and the claim fails. */
  uint64_t item = atomic_load_explicit(&q->slots[top & q->mask], memory_order_relaxed);
  if (!atomic_compare_exchange_strong_explicit(&q->top, &top, top + 1, memory_order_seq_cst,
                                               memory_order_relaxed))
    return -1;
  *out = item;
  return 1;
}

static inline int32_t td_abp_sc_steal(struct td_abp_sc *q, uint64_t *out, uint32_t max) {
  uint32_t taken = 0;
  while (taken < max) {
    int32_t got = td_abp_sc_steal_one(q, out + taken);
    if (got <= 0) return taken > 0 ? (int32_t)taken : got;
    taken++;
  }
  return (int32_t)taken;
}

TD_QUEUE_WITHOUT_WISHES(abp_sc);
TD_QUEUE_BOUNDED(abp_sc);
TD_QUEUE_BY_ITSELF(abp_sc);

static inline uint64_t td_abp_sc_size(struct td_abp_sc const *q) {
  /* relaxed, both: an estimate. */
  uint64_t top = atomic_load_explicit(&q->top, memory_order_relaxed);
  uint64_t bottom = atomic_load_explicit(&q->bottom, memory_order_relaxed);
  return bottom > top ? bottom - top : 0;
}

static inline uint64_t td_abp_sc_owned(struct td_abp_sc_owner const *o) {
  return o->bottom - o->top_seen;
}

#endif
