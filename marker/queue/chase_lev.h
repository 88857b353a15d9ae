/* SPDX-License-Identifier: MIT */
/* The growing circular deque of Chase and Lev, with the orders of Lê et al., Correct and Efficient
 * Work-Stealing for Weak Memory Models, PPoPP 2013.
 *
 * Every item is visible to thieves at once, which costs the owner a full fence per get. Differs:
 * indices have 64 bits and never wrap, so that no tag is needed; the owner keeps bottom and its
 * last look at top to itself, and reads neither back. A full buffer is replaced by one of twice the
 * size. Where the memory for it comes from is the caller's choice: see td_Q_grow_from. Without
 * memory the deque is bounded, and put says that it is full: marker/queue/abp.h.
 *
 * Invariants:
 *   top <= bottom + 1, and the items are [top, bottom). top only grows, by compare-and-swap; only
 *   the owner writes bottom and slots.
 *   [chase_lev.kept]  A buffer that has been replaced is not written again, and its memory is not
 *                     reused before td_chase_lev_shrink: a late thief may still read there, and
 *                     finds in each slot what it held.
 */
#ifndef TD_MARKER_QUEUE_CHASE_LEV_H
#define TD_MARKER_QUEUE_CHASE_LEV_H

#include "marker/queue/contract.h"

/* A race detector that does not model fences gets sequentially consistent accesses instead. */
#ifdef TD_QUEUE_FENCE_FREE
#define TD_CHASE_LEV_FENCE(order) ((void)0)
#define TD_CHASE_LEV_SHARED memory_order_seq_cst
#else
#define TD_CHASE_LEV_FENCE(order) atomic_thread_fence(order)
#define TD_CHASE_LEV_SHARED memory_order_relaxed
#endif

/* Constant once published, but for the slots that follow it: [chase_lev.buffer]. */
struct td_chase_lev_buffer {
  _Alignas(TD_CACHE_LINE) uint64_t mask;
};

struct td_chase_lev {
  /* Thieves compare-and-swap, and the owner for the last item: [chase_lev.claim]. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) top;
  /* The owner writes, thieves read: [chase_lev.item]. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) bottom;
  /* The owner writes, thieves read: [chase_lev.buffer]. */
  _Alignas(TD_CACHE_LINE) _Atomic(struct td_chase_lev_buffer *) buffer;
  /* The owner reads them when it grows; constant while others use the queue. */
  struct td_chase_lev_buffer *first; /* the one in the storage of init */
  td_queue_more *more;               /* NULL: the deque is bounded */
  void *context;
};

struct td_chase_lev_owner {
  uint64_t bottom;
  uint64_t top_seen; /* top when last looked at, so never more than top */
  uint64_t mask;
  _Atomic(uint64_t) *slots;
};

static inline _Atomic(uint64_t) *td_chase_lev_slots(struct td_chase_lev_buffer *buffer) {
  return (_Atomic(uint64_t) *)(void *)(buffer + 1);
}

static inline size_t td_chase_lev_storage_bytes(uint32_t blocks, uint32_t entries) {
  size_t slots = td_queue_bytes(blocks, entries, sizeof(_Atomic(uint64_t)), 0);
  return slots == 0 ? 0 : slots + sizeof(struct td_chase_lev_buffer);
}

static inline struct td_chase_lev_buffer *td_chase_lev_make(void *memory, uint64_t items) {
  struct td_chase_lev_buffer *buffer = (struct td_chase_lev_buffer *)memory;
  buffer->mask = items - 1;
  for (uint64_t i = 0; i < items; i++)
    TD_STORAGE_ATOMIC_INIT(td_chase_lev_slots(buffer) + i, UINT64_C(0));
  return buffer;
}

static inline void td_chase_lev_use(struct td_chase_lev_owner *o,
                                    struct td_chase_lev_buffer *buffer) {
  o->mask = buffer->mask;
  o->slots = td_chase_lev_slots(buffer);
}

static inline void td_chase_lev_init(struct td_chase_lev *q, struct td_chase_lev_owner *o,
                                     void *storage, uint32_t blocks, uint32_t entries) {
  struct td_chase_lev_buffer *buffer = td_chase_lev_make(storage, (uint64_t)blocks * entries);
  /* They start at 1, so that bottom - 1 is not negative. */
  atomic_init(&q->top, UINT64_C(1));
  atomic_init(&q->bottom, UINT64_C(1));
  atomic_init(&q->buffer, buffer);
  q->first = buffer;
  q->more = NULL;
  q->context = NULL;
  o->bottom = 1;
  o->top_seen = 1;
  td_chase_lev_use(o, buffer);
}

static inline void td_chase_lev_grow_from(struct td_chase_lev *q, td_queue_more *more,
                                          void *context) {
  q->more = more;
  q->context = context;
}

static inline void td_chase_lev_shrink(struct td_chase_lev *q, struct td_chase_lev_owner *o) {
  /* relaxed: no other thread uses the queue. */
  atomic_store_explicit(&q->buffer, q->first, memory_order_relaxed);
  td_chase_lev_use(o, q->first);
}

/* Replaces the full buffer by one of twice the size. Returns false if there is no memory. */
static inline bool td_chase_lev_grow(struct td_chase_lev *q, struct td_chase_lev_owner *o) {
  uint64_t items = 2 * (o->mask + 1);
  uint64_t room = (SIZE_MAX / 2 - sizeof(struct td_chase_lev_buffer)) / sizeof(_Atomic(uint64_t));
  if (q->more == NULL || items > room) return false;
  size_t bytes = sizeof(struct td_chase_lev_buffer) + (size_t)items * sizeof(_Atomic(uint64_t));
  void *memory = q->more(q->context, bytes);
  if (memory == NULL) return false;
  struct td_chase_lev_buffer *buffer = td_chase_lev_make(memory, items);
  _Atomic(uint64_t) *slots = td_chase_lev_slots(buffer);
  /* relaxed, all: this thread wrote what it copies, and publishes it below. */
  for (uint64_t i = o->top_seen; i != o->bottom && TD_STEP(chase_lev, copy); i++) {
    uint64_t item = atomic_load_explicit(&o->slots[i & o->mask], memory_order_relaxed);
    atomic_store_explicit(&slots[i & buffer->mask], item, memory_order_relaxed);
  }
  /* release [chase_lev.buffer]: the copied items, before a thief finds them here. */
  atomic_store_explicit(&q->buffer, buffer, TD_ORDER(chase_lev, buffer_set, release));
  td_chase_lev_use(o, buffer);
  return true;
}

/* Returns true if there is room after a look at top, or after growing. */
TD_SLOW_PATH bool td_chase_lev_room(struct td_chase_lev *q, struct td_chase_lev_owner *o) {
  /* acquire [chase_lev.claim]: thieves have read the slots they claimed before we overwrite them.
   */
  o->top_seen = atomic_load_explicit(&q->top, TD_ORDER(chase_lev, put_top, acquire));
  return o->bottom - o->top_seen <= o->mask || td_chase_lev_grow(q, o);
}

static inline bool td_chase_lev_put(struct td_chase_lev *q, struct td_chase_lev_owner *o,
                                    uint64_t item) {
  if (TD_UNLIKELY(o->bottom - o->top_seen > o->mask)) {
    bool room;
    TD_ON_COPY(struct td_chase_lev_owner, o, copy, room = td_chase_lev_room(q, copy));
    if (!room) return false;
  }
  /* relaxed: published by the fence; atomic because a late thief may still read. */
  atomic_store_explicit(&o->slots[o->bottom & o->mask], item, memory_order_relaxed);
  o->bottom++;
  if (TD_STEP(chase_lev, put_fence)) {
    /* release [chase_lev.item]. A fence, not a release store: it also covers the relaxed stores of
     * bottom in get, from which a thief may learn of this item. */
    TD_CHASE_LEV_FENCE(TD_ORDER(chase_lev, put_fence, release));
    atomic_store_explicit(&q->bottom, o->bottom, TD_CHASE_LEV_SHARED);
  } else {
    atomic_store_explicit(&q->bottom, o->bottom, memory_order_release);
  }
  return true;
}

static inline uint64_t td_chase_lev_get(struct td_chase_lev *q, struct td_chase_lev_owner *o) {
  uint64_t bottom = o->bottom - 1;
  /* top is at least top_seen, so this needs no look at it. */
  if (bottom < o->top_seen) return 0;
  atomic_store_explicit(&q->bottom, bottom, TD_CHASE_LEV_SHARED);
  /* Forbids: the owner misses a thief's claim of this item, and the thief misses that the owner has
   * lowered bottom past it; then both would take it. See td_chase_lev_steal_one. */
  TD_CHASE_LEV_FENCE(TD_ORDER(chase_lev, get_fence, seq_cst));
  uint64_t top = atomic_load_explicit(&q->top, TD_CHASE_LEV_SHARED);
  uint64_t item = 0;
  if (top <= bottom) {
    /* relaxed: this thread wrote it. */
    item = atomic_load_explicit(&o->slots[bottom & o->mask], memory_order_relaxed);
    TD_ASSUME(item != 0);
    if (top != bottom) {
      o->bottom = bottom;
      return item;
    }
    /* The last item.  seq_cst: one winner, in the total order of claims and fences; relaxed on
     * failure: lost. */
    if (TD_STEP(chase_lev, last) &&
        !atomic_compare_exchange_strong_explicit(&q->top, &top, bottom + 1,
                                                 TD_ORDER(chase_lev, claim_last, seq_cst),
                                                 memory_order_relaxed))
      item = 0;
  }
  o->bottom = bottom + 1;
  o->top_seen = bottom + 1;
  /* relaxed: the deque is empty, whichever of the two values a thief sees. */
  atomic_store_explicit(&q->bottom, bottom + 1, TD_CHASE_LEV_SHARED);
  return item;
}

static inline int32_t td_chase_lev_steal_one(struct td_chase_lev *q, uint64_t *out) {
  /* relaxed: the fence that follows acquires [chase_lev.claim], so a slot read below is not older
   * than what top says. */
  uint64_t top = atomic_load_explicit(&q->top, TD_CHASE_LEV_SHARED);
  /* Forbids the outcome named in td_chase_lev_get. */
  TD_CHASE_LEV_FENCE(TD_ORDER(chase_lev, steal_fence, seq_cst));
  /* acquire [chase_lev.item]: the item, and a buffer that has it. */
  uint64_t bottom = atomic_load_explicit(&q->bottom, TD_ORDER(chase_lev, steal_bottom, acquire));
  if (top >= bottom) return 0;
  /* acquire [chase_lev.buffer]: mask and copied items. */
  struct td_chase_lev_buffer *buffer =
      atomic_load_explicit(&q->buffer, TD_ORDER(chase_lev, buffer_get, acquire));
  /* relaxed: if the slot has been reused, top has moved and the claim fails. */
  uint64_t item =
      atomic_load_explicit(td_chase_lev_slots(buffer) + (top & buffer->mask), memory_order_relaxed);
  /* seq_cst [chase_lev.claim]: as in td_chase_lev_get. */
  if (!atomic_compare_exchange_strong_explicit(
          &q->top, &top, top + 1, TD_ORDER(chase_lev, claim, seq_cst), memory_order_relaxed))
    return -1;
  *out = item;
  return 1;
}

/* Several items need several claims: the owner takes without one, so a single claim of a range
 * could include what the owner has just taken. */
static inline int32_t td_chase_lev_steal(struct td_chase_lev *q, uint64_t *out, uint32_t max) {
  uint32_t taken = 0;
  while (taken < max) {
    int32_t got = td_chase_lev_steal_one(q, out + taken);
    if (got <= 0) return taken > 0 ? (int32_t)taken : got;
    taken++;
  }
  return (int32_t)taken;
}

TD_QUEUE_WITHOUT_WISHES(chase_lev);

static inline uint64_t td_chase_lev_size(struct td_chase_lev const *q) {
  /* relaxed, both: an estimate. */
  uint64_t top = atomic_load_explicit(&q->top, memory_order_relaxed);
  uint64_t bottom = atomic_load_explicit(&q->bottom, memory_order_relaxed);
  return bottom > top ? bottom - top : 0;
}

static inline uint64_t td_chase_lev_owned(struct td_chase_lev_owner const *o) {
  return o->bottom - o->top_seen;
}

TD_QUEUE_BY_ITSELF(chase_lev);

#endif
