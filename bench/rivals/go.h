/* SPDX-License-Identifier: MIT */
/* The run queue of a processor in the Go scheduler: a FIFO ring whose thieves take half, behind a
 * slot for what was put last (`runnext`).
 *
 * A put goes into the slot and moves the item that was there into the ring. A get takes from the
 * slot first. Thieves take half of the ring, and what is in the slot if the ring is empty.
 *
 * Source: D. Vyukov, Scalable Go Scheduler Design, 2012, and the Go project's runtime/proc.go
 * (runqput, runqget, runqgrab; BSD license). Differs: it is bounded, and put says that it is full
 * where Go moves half of the ring to a global queue; the slot counts as one of the items that fit;
 * a thief takes what was asked for, at most half, and does not sleep for some microseconds before
 * it takes from the slot; put exchanges the slot where Go repeats a compare-and-swap.
 *
 * Invariants:
 *   head <= tail, modulo 2^32, and tail - head <= mask. The items are [head, tail) and the slot's.
 *   Only the owner makes the slot nonzero.
 *   [go.wrap]  A thief stopped between its look at the head and its claim is wrong if exactly 2^32
 *              items have gone by, which takes an owner over ten seconds. */
#ifndef TD_BENCH_RIVALS_GO_H
#define TD_BENCH_RIVALS_GO_H

#include "marker/queue/contract.h"

/* The most items of a queue: far fewer than indices have values. */
#define TD_GO_MAX_ITEMS (UINT64_C(1) << 30)

struct td_go {
  /* Constant after init. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) *slots;
  uint32_t mask;
  /* All compare-and-swap: [go.front], [go.free]. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) head;
  /* The owner writes, thieves read: [go.item]. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) tail;
  /* The newest item, or 0. The owner exchanges, thieves make it 0: [go.next]. */
  _Atomic(uint64_t) next;
};

struct td_go_owner {
  uint32_t tail;
  uint32_t head_seen; /* head when last looked at */
  uint32_t has_next;  /* 1: the owner has filled the slot, and not emptied it since */
};

static inline size_t td_go_storage_bytes(uint32_t blocks, uint32_t entries) {
  if ((uint64_t)blocks * entries > TD_GO_MAX_ITEMS) return 0;
  return td_queue_bytes(blocks, entries, sizeof(_Atomic(uint64_t)), 0);
}

static inline void td_go_init(struct td_go *q, struct td_go_owner *o, void *storage,
                              uint32_t blocks, uint32_t entries) {
  q->slots = (_Atomic(uint64_t) *)storage;
  q->mask = blocks * entries - 1;
  for (uint32_t i = 0; i <= q->mask; i++)
    TD_STORAGE_ATOMIC_INIT(&q->slots[i], UINT64_C(0));
  atomic_init(&q->head, UINT32_C(0));
  atomic_init(&q->tail, UINT32_C(0));
  atomic_init(&q->next, UINT64_C(0));
  o->tail = o->head_seen = o->has_next = 0;
}

/* Returns true if the ring has room for one more. */
static inline bool td_go_has_room(struct td_go *q, struct td_go_owner *o) {
  if (TD_LIKELY(o->tail - o->head_seen < q->mask)) return true;
  /* acquire [go.free]: thieves have read the slots that we overwrite. */
  o->head_seen = atomic_load_explicit(&q->head, TD_ORDER(go, put_head, acquire));
  return o->tail - o->head_seen < q->mask || !TD_STEP(go, full);
}

static inline bool td_go_put(struct td_go *q, struct td_go_owner *o, uint64_t item) {
  if (TD_UNLIKELY(!td_go_has_room(q, o))) {
    /* relaxed, both: no other thread fills the slot. */
    if (atomic_load_explicit(&q->next, memory_order_relaxed) != 0) return false;
    o->has_next = 1;
    /* release [go.next]: what was written before the put. */
    atomic_store_explicit(&q->next, item, TD_ORDER(go, fill, release));
    return true;
  }
  o->has_next = 1;
  /* release [go.next]: as above. */
  uint64_t older = atomic_exchange_explicit(&q->next, item, TD_ORDER(go, kick, release));
  if (older == 0) return true;
  /* relaxed: published by the store of tail; atomic because a late thief may still read. */
  atomic_store_explicit(&q->slots[o->tail & q->mask], older, memory_order_relaxed);
  o->tail++;
  /* release [go.item]: the item. */
  atomic_store_explicit(&q->tail, o->tail, TD_ORDER(go, put_tail, release));
  return true;
}

static inline uint64_t td_go_get(struct td_go *q, struct td_go_owner *o) {
  o->has_next = 0;
  /* relaxed, all: no other thread fills the slot, and its item is this thread's. */
  uint64_t item = atomic_load_explicit(&q->next, memory_order_relaxed);
  if (item != 0 && atomic_compare_exchange_strong_explicit(
                       &q->next, &item, UINT64_C(0), memory_order_relaxed, memory_order_relaxed))
    return item;
  /* relaxed: what thieves say here matters to put only. */
  uint32_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
  for (;;) {
    o->head_seen = head;
    if (head == o->tail) return 0;
    /* relaxed: this thread wrote it. */
    item = atomic_load_explicit(&q->slots[head & q->mask], memory_order_relaxed);
    /* release [go.front]: a thief that sees this head sees a tail that is not behind it.  relaxed
     * on failure: another try. */
    if (!TD_STEP(go, claim_own) ||
        atomic_compare_exchange_strong_explicit(&q->head, &head, head + 1,
                                                TD_ORDER(go, get, release), memory_order_relaxed))
      break;
  }
  TD_ASSUME(item != 0);
  return item;
}

/* The ring is empty: takes what is in the slot. */
static inline int32_t td_go_steal_next(struct td_go *q, uint64_t *out) {
  /* relaxed: the compare-and-swap says whether it is still there. */
  uint64_t item = atomic_load_explicit(&q->next, memory_order_relaxed);
  if (item == 0) return 0;
  /* acquire [go.next]: what was written before the put.  relaxed on failure: it is gone. */
  if (!atomic_compare_exchange_strong_explicit(
          &q->next, &item, UINT64_C(0), TD_ORDER(go, steal_next, acquire), memory_order_relaxed))
    return -1;
  *out = item;
  return 1;
}

static inline int32_t td_go_steal(struct td_go *q, uint64_t *out, uint32_t max) {
  if (max == 0) return 0;
  /* acquire [go.front]: the tail read next is not behind this head. */
  uint32_t head = atomic_load_explicit(&q->head, TD_ORDER(go, steal_head, acquire));
  /* acquire [go.item]: the items. */
  uint32_t tail = atomic_load_explicit(&q->tail, TD_ORDER(go, steal_tail, acquire));
  uint32_t count = tail - head;
  count -= count / 2;
  if (count == 0) return td_go_steal_next(q, out);
  if (count > max) count = max;
  for (uint32_t i = 0; i < count; i++) {
    /* relaxed: acquired above; if a slot has been overwritten, the claim fails. */
    out[i] = atomic_load_explicit(&q->slots[(head + i) & q->mask], memory_order_relaxed);
  }
  /* release [go.free]: our reads of the slots.  relaxed on failure: another thread was faster. */
  if (!atomic_compare_exchange_strong_explicit(&q->head, &head, head + count,
                                               TD_ORDER(go, claim, release), memory_order_relaxed))
    return -1;
  return (int32_t)count;
}

static inline uint64_t td_go_size(struct td_go const *q) {
  /* relaxed, all: an estimate. */
  uint32_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
  uint32_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
  uint32_t next = atomic_load_explicit(&q->next, memory_order_relaxed) != 0;
  return (tail - head <= q->mask ? tail - head : 0) + next;
}

static inline uint64_t td_go_owned(struct td_go_owner const *o) {
  return o->tail - o->head_seen + o->has_next;
}

TD_QUEUE_WITHOUT_WISHES(go);
TD_QUEUE_BOUNDED(go);
TD_QUEUE_BY_ITSELF(go);

#endif
