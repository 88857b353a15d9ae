/* SPDX-License-Identifier: MIT */
/* The work queue of a worker of Kotlin's coroutine scheduler: a FIFO ring behind a slot for what
 * was put last, from which thieves take one item at a time.
 *
 * A put goes into the slot and moves the item that was there into the ring. A get takes from the
 * slot first. A thread that takes from the ring claims an index, takes the item, and empties its
 * place; a place is not filled again before that.
 *
 * Source: JetBrains' kotlinx.coroutines, scheduling/WorkQueue.kt (R. Elizarov and V. Tolstopyatov;
 * Apache license 2.0). Differs: it is bounded, and put says that it is full where Kotlin puts into
 * a global queue, and where it waits for a place to be emptied; a place is emptied by a store,
 * since its index is claimed; indices have 64 bits; the owner looks before it exchanges the slot;
 * there are no tasks that may block, and a thief does not wait until what is in the slot is 100 us
 * old.
 *
 * Invariants:
 *   consumer <= producer <= consumer + mask. The items are [consumer, producer) and the slot's.
 *   [kotlin.place]  Of a place in the ring, only the owner makes it nonzero, and only if it is 0;
 *                   only the thread that claimed its index makes it 0. So each reads the other's
 * last store
 *                   by the order of one variable, and relaxed is enough.
 *   Only the owner makes the slot nonzero. */
#ifndef TD_BENCH_RIVALS_KOTLIN_H
#define TD_BENCH_RIVALS_KOTLIN_H

#include "marker/queue/contract.h"

struct td_kotlin {
  /* Constant after init. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) *slots;
  uint64_t mask;
  /* All compare-and-swap. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) consumer;
  /* The owner writes, thieves read: [kotlin.item]. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) producer;
  /* The newest item, or 0. The owner exchanges, thieves make it 0: [kotlin.next]. */
  _Atomic(uint64_t) next;
};

struct td_kotlin_owner {
  uint64_t producer;
  uint64_t consumer_seen; /* consumer when last looked at */
  uint64_t has_next;      /* 1: the owner has filled the slot, and not emptied it since */
};

static inline size_t td_kotlin_storage_bytes(uint32_t blocks, uint32_t entries) {
  return td_queue_bytes(blocks, entries, sizeof(_Atomic(uint64_t)), 0);
}

static inline void td_kotlin_init(struct td_kotlin *q, struct td_kotlin_owner *o, void *storage,
                                  uint32_t blocks, uint32_t entries) {
  q->slots = (_Atomic(uint64_t) *)storage;
  q->mask = (uint64_t)blocks * entries - 1;
  for (uint64_t i = 0; i <= q->mask; i++)
    TD_STORAGE_ATOMIC_INIT(&q->slots[i], UINT64_C(0));
  atomic_init(&q->consumer, UINT64_C(0));
  atomic_init(&q->producer, UINT64_C(0));
  atomic_init(&q->next, UINT64_C(0));
  o->producer = o->consumer_seen = o->has_next = 0;
}

/* Returns true if the ring has room for one more, and its place is empty. */
static inline bool td_kotlin_has_room(struct td_kotlin *q, struct td_kotlin_owner *o) {
  if (TD_UNLIKELY(o->producer - o->consumer_seen >= q->mask)) {
    /* relaxed: whether the place is empty is for the place to say. */
    o->consumer_seen = atomic_load_explicit(&q->consumer, memory_order_relaxed);
    if (o->producer - o->consumer_seen >= q->mask) return false;
  }
  /* relaxed: [kotlin.place]. */
  return !TD_STEP(kotlin, emptied) ||
         atomic_load_explicit(&q->slots[o->producer & q->mask], memory_order_relaxed) == 0;
}

static inline bool td_kotlin_put(struct td_kotlin *q, struct td_kotlin_owner *o, uint64_t item) {
  if (TD_UNLIKELY(!td_kotlin_has_room(q, o))) {
    /* relaxed: no other thread fills the slot. */
    if (atomic_load_explicit(&q->next, memory_order_relaxed) != 0) return false;
    o->has_next = 1;
    /* release [kotlin.next]: what was written before the put. */
    atomic_store_explicit(&q->next, item, TD_ORDER(kotlin, fill, release));
    return true;
  }
  o->has_next = 1;
  /* release [kotlin.next]: as above. */
  uint64_t older = atomic_exchange_explicit(&q->next, item, TD_ORDER(kotlin, kick, release));
  if (older == 0) return true;
  /* relaxed: [kotlin.place], and published by the store of producer. */
  atomic_store_explicit(&q->slots[o->producer & q->mask], older, memory_order_relaxed);
  o->producer++;
  /* release [kotlin.item]: the item. */
  atomic_store_explicit(&q->producer, o->producer, TD_ORDER(kotlin, produce, release));
  return true;
}

/* Takes the item of an index that this thread has claimed. */
static inline uint64_t td_kotlin_take(struct td_kotlin *q, uint64_t index) {
  _Atomic(uint64_t) *place = &q->slots[index & q->mask];
  /* relaxed, both: [kotlin.place]; what was written before the put came with [kotlin.item]. */
  uint64_t item = atomic_load_explicit(place, memory_order_relaxed);
  if (TD_STEP(kotlin, empty)) atomic_store_explicit(place, UINT64_C(0), memory_order_relaxed);
  return item;
}

static inline uint64_t td_kotlin_get(struct td_kotlin *q, struct td_kotlin_owner *o) {
  o->has_next = 0;
  /* relaxed, both: no other thread fills the slot, and its item is this thread's. */
  if (atomic_load_explicit(&q->next, memory_order_relaxed) != 0) {
    uint64_t newest = atomic_exchange_explicit(&q->next, UINT64_C(0), memory_order_relaxed);
    if (newest != 0) return newest;
  }
  /* relaxed, all: an index is claimed once, and the items are this thread's. */
  uint64_t index = atomic_load_explicit(&q->consumer, memory_order_relaxed);
  do {
    o->consumer_seen = index;
    if (index == o->producer) return 0;
  } while (TD_STEP(kotlin, claim_own) &&
           !atomic_compare_exchange_strong_explicit(&q->consumer, &index, index + 1,
                                                    memory_order_relaxed, memory_order_relaxed));
  uint64_t item = td_kotlin_take(q, index);
  TD_ASSUME(item != 0);
  return item;
}

static inline int32_t td_kotlin_steal_from_ring(struct td_kotlin *q, uint64_t *out) {
  /* relaxed: indices only grow, so one below the producer seen below has an item. */
  uint64_t index = atomic_load_explicit(&q->consumer, memory_order_relaxed);
  /* acquire [kotlin.item]: the items. */
  uint64_t producer = atomic_load_explicit(&q->producer, TD_ORDER(kotlin, consume, acquire));
  if (index >= producer) return 0;
  /* relaxed, both: an index is claimed once; the item is acquired already. */
  if (!atomic_compare_exchange_strong_explicit(&q->consumer, &index, index + 1,
                                               memory_order_relaxed, memory_order_relaxed))
    return -1;
  *out = td_kotlin_take(q, index);
  return 1;
}

/* The ring is empty: takes what is in the slot. */
static inline int32_t td_kotlin_steal_next(struct td_kotlin *q, uint64_t *out) {
  /* relaxed: the compare-and-swap says whether it is still there. */
  uint64_t item = atomic_load_explicit(&q->next, memory_order_relaxed);
  if (item == 0) return 0;
  /* acquire [kotlin.next]: what was written before the put.  relaxed on failure: it is gone. */
  if (!atomic_compare_exchange_strong_explicit(&q->next, &item, UINT64_C(0),
                                               TD_ORDER(kotlin, steal_next, acquire),
                                               memory_order_relaxed))
    return -1;
  *out = item;
  return 1;
}

/* Kotlin's thieves take single items, so several items need several claims. */
static inline int32_t td_kotlin_steal(struct td_kotlin *q, uint64_t *out, uint32_t max) {
  uint32_t taken = 0;
  int32_t got = 0;
  while (taken < max && (got = td_kotlin_steal_from_ring(q, out + taken)) > 0)
    taken++;
  if (taken > 0 || got < 0 || max == 0) return taken > 0 ? (int32_t)taken : got;
  return td_kotlin_steal_next(q, out);
}

static inline uint64_t td_kotlin_size(struct td_kotlin const *q) {
  /* relaxed, all: an estimate. */
  uint64_t consumer = atomic_load_explicit(&q->consumer, memory_order_relaxed);
  uint64_t producer = atomic_load_explicit(&q->producer, memory_order_relaxed);
  uint64_t next = atomic_load_explicit(&q->next, memory_order_relaxed) != 0;
  return (producer > consumer ? producer - consumer : 0) + next;
}

static inline uint64_t td_kotlin_owned(struct td_kotlin_owner const *o) {
  return o->producer - o->consumer_seen + o->has_next;
}

TD_QUEUE_WITHOUT_WISHES(kotlin);
TD_QUEUE_BOUNDED(kotlin);
TD_QUEUE_BY_ITSELF(kotlin);

#endif
