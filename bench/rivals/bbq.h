/* SPDX-License-Identifier: MIT */
/* The block-based bounded queue (BBQ): a FIFO ring of blocks, from which BWoS descends.
 *
 * Each block counts what was put (`committed`), claimed (`reserved`) and read (`consumed`). A
 * consumer claims an item by compare-and-swap in its block and reads it then. The producer meets
 * consumers only when it goes on to a block that they must have emptied.
 *
 * Source: J. Wang, D. Behrens, M. Fu, L. Oberhauser, J. Oberhauser, J. Lei, G. Chen, H. Haertig,
 * H. Chen, BBQ: A Block-based Bounded Queue for Exchanging Data and Profiling, USENIX ATC 2022, in
 * its mode that loses nothing (retry-new). Differs: there is one producer, the owner, so that
 * `allocated` and the producers' head are its own and `committed` is stored, not added to; a
 * consumer claims several items at once; a cursor has the number of the block, which counts on
 * round the ring, in place of a version, so that cursors are compared for equality where the paper
 * takes a maximum. The owner takes like any other consumer.
 *
 * Invariants:
 *   Block n is in place n modulo the number of blocks. reserved <= committed of the same number.
 *   [bbq.turns]  Cursors of a place come to number n in this order: committed, when the place's
 * block before was consumed; consumed; reserved; then `first` may become n. */
#ifndef TD_BENCH_RIVALS_BBQ_H
#define TD_BENCH_RIVALS_BBQ_H

#include "marker/queue/contract.h"

/* Bits of the offset in a cursor; the number of the block has the others: 2^46 blocks. */
#define TD_BBQ_OFFSET_BITS 18
#define TD_BBQ_MAX_ENTRIES (UINT32_C(1) << (TD_BBQ_OFFSET_BITS - 1))

struct td_bbq_block {
  /* The owner writes, consumers read: [bbq.item]. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) committed;
  /* Consumers compare-and-swap: [bbq.turn]. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) reserved;
  /* Consumers add, the owner reads: [bbq.free]. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) consumed;
};

struct td_bbq {
  /* Constant after init. */
  _Alignas(TD_CACHE_LINE) struct td_bbq_block *blocks;
  TD_PLAIN(uint64_t) * slots;
  uint64_t block_mask;
  uint32_t entries;
  /* The number of the block that consumers take from. They compare-and-swap. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) first;
};

struct td_bbq_owner {
  uint64_t put;  /* the cursor of the next item to put: number and offset */
  uint64_t seen; /* of the item after the last that the owner got */
};

static inline uint64_t td_bbq_cursor(uint64_t number, uint64_t offset) {
  return number << TD_BBQ_OFFSET_BITS | offset;
}

static inline uint64_t td_bbq_number(uint64_t cursor) {
  return cursor >> TD_BBQ_OFFSET_BITS;
}

static inline uint32_t td_bbq_offset(uint64_t cursor) {
  return (uint32_t)(cursor & ((UINT64_C(1) << TD_BBQ_OFFSET_BITS) - 1));
}

static inline struct td_bbq_block *td_bbq_block_of(struct td_bbq const *q, uint64_t number) {
  return &q->blocks[number & q->block_mask];
}

static inline TD_PLAIN(uint64_t) * td_bbq_slot(struct td_bbq const *q, uint64_t cursor) {
  return &q->slots[(td_bbq_number(cursor) & q->block_mask) * q->entries + td_bbq_offset(cursor)];
}

static inline size_t td_bbq_storage_bytes(uint32_t blocks, uint32_t entries) {
  if (blocks < 2 || entries > TD_BBQ_MAX_ENTRIES) return 0;
  return td_queue_bytes(blocks, entries, sizeof(TD_PLAIN(uint64_t)), sizeof(struct td_bbq_block));
}

static inline void td_bbq_init(struct td_bbq *q, struct td_bbq_owner *o, void *storage,
                               uint32_t blocks, uint32_t entries) {
  q->blocks = (struct td_bbq_block *)storage;
  q->slots = (TD_PLAIN(uint64_t) *)(void *)(q->blocks + blocks);
  q->block_mask = blocks - 1;
  q->entries = entries;
  for (uint64_t i = 0; i < (uint64_t)blocks * entries; i++)
    TD_STORAGE_PLAIN_INIT(&q->slots[i], 0);
  /* Block `blocks` is the first; the other places are as if their block before was used up. */
  for (uint32_t i = 0; i < blocks; i++) {
    uint64_t cursor = i == 0 ? td_bbq_cursor(blocks, 0) : td_bbq_cursor(i, entries);
    TD_STORAGE_ATOMIC_INIT(&q->blocks[i].committed, cursor);
    TD_STORAGE_ATOMIC_INIT(&q->blocks[i].reserved, cursor);
    TD_STORAGE_ATOMIC_INIT(&q->blocks[i].consumed, cursor);
  }
  atomic_init(&q->first, (uint64_t)blocks);
  o->put = o->seen = td_bbq_cursor(blocks, 0);
}

/* The put block is full: opens the next. Returns false if that has not been consumed. */
TD_SLOW_PATH bool td_bbq_open(struct td_bbq *q, struct td_bbq_owner *o) {
  uint64_t next = td_bbq_number(o->put) + 1;
  struct td_bbq_block *block = td_bbq_block_of(q, next);
  /* acquire [bbq.free]: consumers have read the slots that we overwrite. */
  uint64_t consumed = atomic_load_explicit(&block->consumed, TD_ORDER(bbq, open, acquire));
  uint64_t before = next - q->block_mask - 1;
  if (consumed != td_bbq_cursor(before, q->entries) && TD_STEP(bbq, full)) return false;
  o->put = td_bbq_cursor(next, 0);
  /* relaxed: there is no item yet. A consumer that sees this and goes on to the block adds nothing
   * to what the owner has to know: `consumed` is theirs from here to the next time it is full. */
  atomic_store_explicit(&block->committed, o->put, memory_order_relaxed);
  return true;
}

static inline bool td_bbq_put(struct td_bbq *q, struct td_bbq_owner *o, uint64_t item) {
  if (TD_UNLIKELY(td_bbq_offset(o->put) == q->entries)) {
    bool opened;
    TD_ON_COPY(struct td_bbq_owner, o, copy, opened = td_bbq_open(q, copy));
    if (!opened) return false;
  }
  TD_PLAIN_STORE(td_bbq_slot(q, o->put), item);
  struct td_bbq_block *block = td_bbq_block_of(q, td_bbq_number(o->put));
  o->put++;
  /* release [bbq.item]: the item. */
  atomic_store_explicit(&block->committed, o->put, TD_ORDER(bbq, commit, release));
  return true;
}

/* Goes on from block number - 1, which is used up, to block `number`. Returns false if it is not
 * open. Several consumers may do so at once: each step is done by the first to come. */
static inline bool td_bbq_advance(struct td_bbq *q, uint64_t number) {
  struct td_bbq_block *block = td_bbq_block_of(q, number);
  /* relaxed: a consumer that claims an item acquires it, and sees no older value of `committed`
   * than this. */
  uint64_t committed = atomic_load_explicit(&block->committed, memory_order_relaxed);
  if (td_bbq_number(committed) != number) return false;
  uint64_t used = td_bbq_cursor(number - q->block_mask - 1, q->entries);
  uint64_t begin = td_bbq_cursor(number, 0);
  uint64_t expected = used;
  /* relaxed: a consumer that adds to it comes by way of `reserved`.  On failure: done by
   * another. */
  if (TD_STEP(bbq, renew))
    atomic_compare_exchange_strong_explicit(&block->consumed, &expected, begin,
                                            memory_order_relaxed, memory_order_relaxed);
  expected = used;
  /* release [bbq.turn]: that `consumed` and `committed` have come to this number.  relaxed on
   * failure: done by another. */
  atomic_compare_exchange_strong_explicit(&block->reserved, &expected, begin,
                                          TD_ORDER(bbq, turn, release), memory_order_relaxed);
  expected = number - 1;
  /* relaxed: `reserved` says whether the block is ready.  On failure: done by another. */
  atomic_compare_exchange_strong_explicit(&q->first, &expected, number, memory_order_relaxed,
                                          memory_order_relaxed);
  return true;
}

/* Claims up to `max` items of block `number`, reads them and counts them as read. Returns how many;
 * 0 if there is none now; -1 if another was faster; -2 if the block is used up. *end becomes the
 * cursor after them. */
static inline int32_t td_bbq_reserve(struct td_bbq *q, uint64_t number, uint64_t *out, uint32_t max,
                                     uint64_t *end) {
  struct td_bbq_block *block = td_bbq_block_of(q, number);
  /* acquire [bbq.turn]: that `consumed` and `committed` have come to this number. */
  uint64_t reserved = atomic_load_explicit(&block->reserved, TD_ORDER(bbq, reserved, acquire));
  if (td_bbq_number(reserved) != number) return -1;
  if (td_bbq_offset(reserved) == q->entries) return -2;
  /* acquire [bbq.item]: the items. */
  uint64_t committed = atomic_load_explicit(&block->committed, TD_ORDER(bbq, items, acquire));
  /* A look that is older than another's claim finds nothing. The owner's own is never older. */
  if (committed <= reserved && TD_STEP(bbq, stale)) return 0;
  uint64_t count = committed - reserved;
  if (count > max) count = max;
  /* relaxed: nothing is released before the items are read; what was acquired goes on with the
   * read-modify-write.  On failure: another thread was faster. */
  if (!atomic_compare_exchange_strong_explicit(&block->reserved, &reserved, reserved + count,
                                               memory_order_relaxed, memory_order_relaxed))
    return -1;
  for (uint64_t i = 0; i < count; i++)
    out[i] = TD_PLAIN_LOAD(td_bbq_slot(q, reserved + i));
  /* release [bbq.free]: our reads. */
  atomic_fetch_add_explicit(&block->consumed, count, TD_ORDER(bbq, consume, release));
  *end = reserved + count;
  return (int32_t)count;
}

/* Takes up to max items; for the results see td_bbq_reserve. */
static inline int32_t td_bbq_take(struct td_bbq *q, uint64_t *out, uint32_t max, uint64_t *end) {
  /* relaxed: a number that comes before its block is ready costs another try. */
  uint64_t number = atomic_load_explicit(&q->first, memory_order_relaxed);
  int32_t taken = td_bbq_reserve(q, number, out, max, end);
  if (taken != -2) return taken;
  if (!td_bbq_advance(q, number + 1)) return 0;
  taken = td_bbq_reserve(q, number + 1, out, max, end);
  return taken == -2 ? -1 : taken;
}

static inline uint64_t td_bbq_get(struct td_bbq *q, struct td_bbq_owner *o) {
  uint64_t item = 0;
  uint64_t end = o->put;
  int32_t taken;
  do
    taken = td_bbq_take(q, &item, 1, &end);
  while (taken < 0);
  o->seen = end;
  if (taken == 0) return 0;
  TD_ASSUME(item != 0);
  return item;
}

static inline int32_t td_bbq_steal(struct td_bbq *q, uint64_t *out, uint32_t max) {
  uint64_t end;
  return max == 0 ? 0 : td_bbq_take(q, out, max, &end);
}

/* What is in the block that consumers take from, or in the next. */
static inline uint64_t td_bbq_size(struct td_bbq const *q) {
  /* relaxed, all: an estimate. */
  uint64_t number = atomic_load_explicit(&q->first, memory_order_relaxed);
  for (unsigned look = 0; look < 2; look++, number++) {
    struct td_bbq_block *block = td_bbq_block_of(q, number);
    uint64_t committed = atomic_load_explicit(&block->committed, memory_order_relaxed);
    if (td_bbq_number(committed) != number) return 0;
    uint64_t reserved = atomic_load_explicit(&block->reserved, memory_order_relaxed);
    if (td_bbq_number(reserved) != number) return td_bbq_offset(committed);
    if (committed > reserved) return committed - reserved;
    if (td_bbq_offset(reserved) != q->entries) return 0;
  }
  return 0;
}

/* At least one per block and per item of the same block. */
static inline uint64_t td_bbq_owned(struct td_bbq_owner const *o) {
  uint64_t blocks = td_bbq_number(o->put) - td_bbq_number(o->seen);
  return blocks != 0 ? blocks : o->put - o->seen;
}

TD_QUEUE_WITHOUT_WISHES(bbq);
TD_QUEUE_BOUNDED(bbq);
TD_QUEUE_BY_ITSELF(bbq);

#endif
