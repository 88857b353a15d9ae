/* SPDX-License-Identifier: MIT */
/* The local run queue of Tokio's multi-threaded scheduler: a FIFO whose thieves take half.
 *
 * One word holds two heads: where the owner gets (`real`) and the oldest slot that is still being
 * read (`steal`). They differ while a thief copies what it has claimed, and only one thief at a
 * time may do so. The owner goes on meanwhile; it just may not overwrite those slots.
 *
 * Source: C. Lerche, Making the Tokio scheduler 10x faster, 2019, and the Tokio project's
 * runtime/scheduler/multi_thread/queue.rs (MIT license). Differs: it is bounded, and put says that
 * it is full where Tokio moves half of the queue to a global one; a thief takes what was asked for,
 * at most half; heads have 32 bits instead of 16; the owner keeps its last look at `steal`; put's
 * and get's orders are no stronger than needed. Tokio's slot for the task that was woken last is no
 * part of this queue: it belongs to the worker and cannot be stolen from.
 *
 * Invariants:
 *   steal <= real <= tail, modulo 2^32, and tail - steal <= mask + 1. The items are [real, tail).
 *   [tokio.wrap]  A thief stopped between its look at the head and its claim is wrong if exactly
 *                 2^32 items have gone by, which takes an owner over ten seconds. */
#ifndef TD_BENCH_RIVALS_TOKIO_H
#define TD_BENCH_RIVALS_TOKIO_H

#include "marker/queue/contract.h"

/* The most items of a queue: far fewer than indices have values. */
#define TD_TOKIO_MAX_ITEMS (UINT64_C(1) << 30)

struct td_tokio {
  /* Constant after init. */
  _Alignas(TD_CACHE_LINE) TD_PLAIN(uint64_t) * slots;
  uint32_t mask;
  /* steal in the upper half, real in the lower. All compare-and-swap: [tokio.front], [tokio.free].
   */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) head;
  /* The owner writes, thieves read: [tokio.item]. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) tail;
};

struct td_tokio_owner {
  uint32_t tail;
  uint32_t steal_seen; /* steal when last looked at */
  uint32_t real_seen;  /* real when last looked at */
};

static inline uint64_t td_tokio_pack(uint32_t steal, uint32_t real) {
  return (uint64_t)steal << 32 | real;
}

static inline uint32_t td_tokio_steal_of(uint64_t head) {
  return (uint32_t)(head >> 32);
}

static inline uint32_t td_tokio_real_of(uint64_t head) {
  return (uint32_t)head;
}

static inline size_t td_tokio_storage_bytes(uint32_t blocks, uint32_t entries) {
  if ((uint64_t)blocks * entries > TD_TOKIO_MAX_ITEMS) return 0;
  return td_queue_bytes(blocks, entries, sizeof(TD_PLAIN(uint64_t)), 0);
}

static inline void td_tokio_init(struct td_tokio *q, struct td_tokio_owner *o, void *storage,
                                 uint32_t blocks, uint32_t entries) {
  q->slots = (TD_PLAIN(uint64_t) *)storage;
  q->mask = blocks * entries - 1;
  for (uint32_t i = 0; i <= q->mask; i++)
    TD_STORAGE_PLAIN_INIT(&q->slots[i], 0);
  atomic_init(&q->head, UINT64_C(0));
  atomic_init(&q->tail, UINT32_C(0));
  o->tail = o->steal_seen = o->real_seen = 0;
}

static inline bool td_tokio_put(struct td_tokio *q, struct td_tokio_owner *o, uint64_t item) {
  uint32_t tail = o->tail;
  if (TD_UNLIKELY(tail - o->steal_seen > q->mask)) {
    /* acquire [tokio.free]: thieves have read the slots that we overwrite. */
    uint64_t head = atomic_load_explicit(&q->head, TD_ORDER(tokio, put_head, acquire));
    o->steal_seen = TD_STEP(tokio, busy) ? td_tokio_steal_of(head) : td_tokio_real_of(head);
    o->real_seen = td_tokio_real_of(head);
    if (tail - o->steal_seen > q->mask) return false;
  }
  TD_PLAIN_STORE(&q->slots[tail & q->mask], item);
  o->tail = tail + 1;
  /* release [tokio.item]: the item. */
  atomic_store_explicit(&q->tail, tail + 1, TD_ORDER(tokio, put_tail, release));
  return true;
}

static inline uint64_t td_tokio_get(struct td_tokio *q, struct td_tokio_owner *o) {
  /* relaxed: what thieves say here matters to put only. */
  uint64_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
  for (;;) {
    uint32_t real = td_tokio_real_of(head);
    o->real_seen = real;
    if (real == o->tail) return 0;
    bool quiet = td_tokio_steal_of(head) == real;
    uint64_t next = td_tokio_pack(quiet ? real + 1 : td_tokio_steal_of(head), real + 1);
    /* release [tokio.front]: a thief that sees this head sees a tail that is not behind it.
     * relaxed on failure: another try. */
    if (atomic_compare_exchange_strong_explicit(
            &q->head, &head, next, TD_ORDER(tokio, get, release), memory_order_relaxed)) {
      o->real_seen = real + 1;
      uint64_t item = TD_PLAIN_LOAD(&q->slots[real & q->mask]);
      TD_ASSUME(item != 0);
      return item;
    }
  }
}

/* Tells that the slots from `steal` to the claim's end have been read. The owner may have moved
 * `real` since. */
static inline void td_tokio_finish(struct td_tokio *q, uint64_t head) {
  uint64_t done;
  do {
    done = td_tokio_pack(td_tokio_real_of(head), td_tokio_real_of(head));
    /* release [tokio.free]: our reads of the slots.  relaxed on failure: another try. */
  } while (!atomic_compare_exchange_strong_explicit(
      &q->head, &head, done, TD_ORDER(tokio, finish, release), memory_order_relaxed));
}

static inline int32_t td_tokio_steal(struct td_tokio *q, uint64_t *out, uint32_t max) {
  /* acquire [tokio.front]: the tail read next is not behind this head. */
  uint64_t head = atomic_load_explicit(&q->head, TD_ORDER(tokio, steal_head, acquire));
  uint32_t real = td_tokio_real_of(head);
  if (td_tokio_steal_of(head) != real && TD_STEP(tokio, alone)) return -1;
  /* acquire [tokio.item]: the items. */
  uint32_t tail = atomic_load_explicit(&q->tail, TD_ORDER(tokio, steal_tail, acquire));
  uint32_t count = tail - real;
  count -= count / 2;
  if (count > max) count = max;
  if (count == 0) return 0;
  uint64_t claimed = td_tokio_pack(real, real + count);
  /* relaxed: the items are acquired, and nothing is released before the slots are read. On failure:
   * another thread was faster. */
  if (!atomic_compare_exchange_strong_explicit(&q->head, &head, claimed, memory_order_relaxed,
                                               memory_order_relaxed))
    return -1;
  for (uint32_t i = 0; i < count; i++)
    out[i] = TD_PLAIN_LOAD(&q->slots[(real + i) & q->mask]);
  td_tokio_finish(q, claimed);
  return (int32_t)count;
}

static inline uint64_t td_tokio_size(struct td_tokio const *q) {
  /* relaxed, both: an estimate. */
  uint32_t real = td_tokio_real_of(atomic_load_explicit(&q->head, memory_order_relaxed));
  uint32_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
  return tail - real <= q->mask + 1 ? tail - real : 0;
}

static inline uint64_t td_tokio_owned(struct td_tokio_owner const *o) {
  return o->tail - o->real_seen;
}

TD_QUEUE_WITHOUT_WISHES(tokio);
TD_QUEUE_BOUNDED(tokio);
TD_QUEUE_BY_ITSELF(tokio);

#endif
