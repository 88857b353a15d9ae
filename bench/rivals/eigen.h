/* SPDX-License-Identifier: MIT */
/* The run queue of Eigen's thread pool: an array whose owner works at its front, last in first out,
 * while thieves take half from its back, one thief at a time.
 *
 * Every slot has a state. The owner fills an empty slot and makes it ready; a thread that takes an
 * item first makes a ready slot busy. A thief claims the newest item of its half: then the older
 * ones are its own too, because the owner cannot get past a busy slot.
 *
 * Source: D. Vyukov's RunQueue in Eigen, unsupported/Eigen/CXX11/src/ThreadPool/RunQueue.h
 * (MPL 2.0). Differs: the number of items comes from 64-bit indices that never wrap; a thief that
 * finds another at work does not wait for it; it takes what was asked for, at most half; and only
 * the owner puts (in Eigen other threads put at the back), so that a put needs no claim.
 *
 * Invariants:
 *   back <= front. The items are in the slots [back, front), less those claimed; ready slots are
 *   without a gap.
 *   [eigen.steal]  Under the lock: between back and the slot that a thief has claimed, every item
 *                  is the thief's. */
#ifndef TD_BENCH_RIVALS_EIGEN_H
#define TD_BENCH_RIVALS_EIGEN_H

#include "marker/queue/contract.h"

enum td_eigen_state { TD_EIGEN_EMPTY, TD_EIGEN_BUSY, TD_EIGEN_READY };

struct td_eigen_slot {
  /* Owner and thieves: [eigen.item], [eigen.free]. */
  _Atomic(uint32_t) state;
  TD_PLAIN(uint64_t) item;
};

struct td_eigen {
  /* Constant after init. */
  _Alignas(TD_CACHE_LINE) struct td_eigen_slot *slots;
  uint64_t mask;
  /* The owner writes, thieves read. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) front;
  /* Written under the lock. All threads read. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) back;
  /* 1: a thief is at work: [eigen.lock]. */
  _Atomic(uint32_t) locked;
};

struct td_eigen_owner {
  uint64_t front;
  uint64_t base; /* where front was when the queue was last seen to be empty */
};

static inline size_t td_eigen_storage_bytes(uint32_t blocks, uint32_t entries) {
  return td_queue_bytes(blocks, entries, sizeof(struct td_eigen_slot), 0);
}

static inline void td_eigen_init(struct td_eigen *q, struct td_eigen_owner *o, void *storage,
                                 uint32_t blocks, uint32_t entries) {
  q->slots = (struct td_eigen_slot *)storage;
  q->mask = (uint64_t)blocks * entries - 1;
  for (uint64_t i = 0; i <= q->mask; i++) {
    TD_STORAGE_ATOMIC_INIT(&q->slots[i].state, (uint32_t)TD_EIGEN_EMPTY);
    TD_STORAGE_PLAIN_INIT(&q->slots[i].item, 0);
  }
  /* They start at 1, so that front - 1 is not negative. */
  atomic_init(&q->front, UINT64_C(1));
  atomic_init(&q->back, UINT64_C(1));
  atomic_init(&q->locked, UINT32_C(0));
  o->front = o->base = 1;
}

static inline bool td_eigen_put(struct td_eigen *q, struct td_eigen_owner *o, uint64_t item) {
  struct td_eigen_slot *slot = &q->slots[o->front & q->mask];
  /* acquire [eigen.free]: a thief has read the item that we overwrite. */
  if (TD_UNLIKELY(atomic_load_explicit(&slot->state, TD_ORDER(eigen, put_state, acquire)) !=
                      TD_EIGEN_EMPTY &&
                  TD_STEP(eigen, full)))
    return false;
  o->front++;
  /* relaxed: where thieves look; what they find in the slots decides. */
  atomic_store_explicit(&q->front, o->front, memory_order_relaxed);
  TD_PLAIN_STORE(&slot->item, item);
  /* release [eigen.item]: the item. */
  atomic_store_explicit(&slot->state, (uint32_t)TD_EIGEN_READY, TD_ORDER(eigen, ready, release));
  return true;
}

/* Makes a ready slot busy. Returns false if it is not ready, or another thread was faster. */
static inline bool td_eigen_claim(struct td_eigen_slot *slot, bool by_thief) {
  uint32_t state = TD_EIGEN_READY;
  /* relaxed: a look before the claim. */
  if (atomic_load_explicit(&slot->state, memory_order_relaxed) != TD_EIGEN_READY) return false;
  /* For a thief, acquire [eigen.item]: this item, and with it all older ones. For the owner,
   * relaxed: it wrote the item itself.  relaxed on failure: another thread was faster. */
  return atomic_compare_exchange_strong_explicit(
      &slot->state, &state, (uint32_t)TD_EIGEN_BUSY,
      by_thief ? TD_ORDER(eigen, claim, acquire) : memory_order_relaxed, memory_order_relaxed);
}

static inline uint64_t td_eigen_get(struct td_eigen *q, struct td_eigen_owner *o) {
  struct td_eigen_slot *slot = &q->slots[(o->front - 1) & q->mask];
  if (!td_eigen_claim(slot, false)) {
    o->base = o->front;
    return 0;
  }
  uint64_t item = TD_PLAIN_LOAD(&slot->item);
  TD_ASSUME(item != 0);
  /* relaxed: only this thread fills the slot again. */
  atomic_store_explicit(&slot->state, (uint32_t)TD_EIGEN_EMPTY, memory_order_relaxed);
  o->front--;
  if (o->front < o->base) o->base = o->front;
  /* relaxed: as in put. */
  atomic_store_explicit(&q->front, o->front, memory_order_relaxed);
  return item;
}

/* Under the lock: claims an item so that it and the older ones are `most` at most, and takes them.
 * Returns how many. */
static inline uint32_t td_eigen_take(struct td_eigen *q, uint64_t *out, uint64_t back,
                                     uint64_t most) {
  uint64_t end = back + most;
  while (end != back && !td_eigen_claim(&q->slots[(end - 1) & q->mask], true))
    end--;
  for (uint64_t i = back; i != end; i++) {
    struct td_eigen_slot *slot = &q->slots[i & q->mask];
    out[i - back] = TD_PLAIN_LOAD(&slot->item);
    /* release [eigen.free]: our read of the item. */
    atomic_store_explicit(&slot->state, (uint32_t)TD_EIGEN_EMPTY, TD_ORDER(eigen, free, release));
  }
  /* relaxed: under the lock. */
  atomic_store_explicit(&q->back, end, memory_order_relaxed);
  return (uint32_t)(end - back);
}

static inline uint64_t td_eigen_size(struct td_eigen const *q) {
  /* relaxed, both: an estimate. */
  uint64_t back = atomic_load_explicit(&q->back, memory_order_relaxed);
  uint64_t front = atomic_load_explicit(&q->front, memory_order_relaxed);
  if (front <= back) return 0;
  return front - back <= q->mask + 1 ? front - back : q->mask + 1;
}

static inline int32_t td_eigen_steal(struct td_eigen *q, uint64_t *out, uint32_t max) {
  if (max == 0 || td_eigen_size(q) == 0) return 0;
  /* acquire [eigen.lock]: where the last thief has left `back`. */
  if (atomic_exchange_explicit(&q->locked, UINT32_C(1), TD_ORDER(eigen, lock, acquire)) != 0 &&
      TD_STEP(eigen, lock))
    return -1;
  uint64_t most = (td_eigen_size(q) + 1) / 2;
  /* relaxed: under the lock. */
  uint64_t back = atomic_load_explicit(&q->back, memory_order_relaxed);
  uint32_t taken = td_eigen_take(q, out, back, most < max ? most : max);
  /* release [eigen.lock]: `back`. */
  atomic_store_explicit(&q->locked, UINT32_C(0), TD_ORDER(eigen, unlock, release));
  return (int32_t)taken;
}

static inline uint64_t td_eigen_owned(struct td_eigen_owner const *o) {
  return o->front - o->base;
}

TD_QUEUE_WITHOUT_WISHES(eigen);
TD_QUEUE_BOUNDED(eigen);
TD_QUEUE_BY_ITSELF(eigen);

#endif
