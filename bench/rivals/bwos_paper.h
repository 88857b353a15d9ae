/* SPDX-License-Identifier: MIT */
/* LIFO block-based work stealing (BWoS) as in the paper: Wang et al., BWoS, OSDI 2023.
 *
 * Each block has the paper's four positions. The owner's items lie between b_pos and f_pos. s_pos
 * is the next item for thieves, and s_cnt the number of finished steals. These two are shared and
 * carry the block's round, so that what belongs to an earlier use of the block is recognised. A
 * thief claims one item by compare-and-swap of s_pos, then reads it, then counts the finished
 * steal. The owner reuses a block when all its steals are finished.
 *
 * Differs in two points; docs/queues.md has the reasons. s_pos has a value of its own for "the
 * owner has the block". The paper uses the end of the block for that and for "exhausted", so that a
 * thief could pass a live block. And put reports "full" where the paper's put may wait for a thief
 * in mid-steal.
 *
 * Blocks have sequence numbers: number s lives in block s mod blocks, in round s / blocks.
 * Invariant [bwos_paper.order]: blocks below s_blk are exhausted for good. */
#ifndef TD_BENCH_RIVALS_BWOS_PAPER_H
#define TD_BENCH_RIVALS_BWOS_PAPER_H

#include "marker/queue/contract.h"

#define TD_BWOS_PAPER_MAX_ENTRIES (UINT32_C(1) << 24)

struct td_bwos_paper_block {
  /* Owner only. */
  _Alignas(TD_CACHE_LINE) uint32_t f_pos;
  uint32_t b_pos;
  /* (round, next index for thieves). Owner and thieves write and read: [bwos_paper.grant]. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) s_pos;
  /* (round, finished steals). Thieves add; the owner reads and resets: [bwos_paper.finish]. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) s_cnt;
};

struct td_bwos_paper {
  /* Constant after init. */
  _Alignas(TD_CACHE_LINE) TD_PLAIN(uint64_t) * slots;
  struct td_bwos_paper_block *blocks;
  uint64_t block_mask;
  uint32_t blocks_log2;
  uint32_t entries;

  /* The number of the block that thieves take from. It only grows. Thieves write and read. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) s_blk;

  /* The number of the owner's block. The owner writes it; td_bwos_paper_size reads. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) top;
};

struct td_bwos_paper_owner {
  struct td_bwos_paper_block *block;
  TD_PLAIN(uint64_t) * slots; /* of that block */
  uint64_t top;               /* number of that block */
  uint32_t entries;
  uint32_t below; /* may granted items lie below the block? */
};

static inline uint64_t td_bwos_paper_pack(uint32_t round, uint32_t position) {
  return (uint64_t)round << 32 | position;
}

static inline uint32_t td_bwos_paper_round(uint64_t packed) {
  return (uint32_t)(packed >> 32);
}

static inline uint32_t td_bwos_paper_position(uint64_t packed) {
  return (uint32_t)packed;
}

static inline uint32_t td_bwos_paper_owners(struct td_bwos_paper const *q) {
  return TD_STEP(bwos_paper, owned) ? q->entries + 1 : q->entries;
}

static inline struct td_bwos_paper_block *td_bwos_paper_block(struct td_bwos_paper *q,
                                                              uint64_t number) {
  return &q->blocks[number & q->block_mask];
}

static inline uint32_t td_bwos_paper_round_of(struct td_bwos_paper const *q, uint64_t number) {
  return (uint32_t)(number >> q->blocks_log2);
}

static inline size_t td_bwos_paper_storage_bytes(uint32_t blocks, uint32_t entries) {
  if (blocks < 2 || entries < 2 || entries > TD_BWOS_PAPER_MAX_ENTRIES) return 0;
  return td_queue_bytes(blocks, entries, sizeof(TD_PLAIN(uint64_t)),
                        sizeof(struct td_bwos_paper_block));
}

static inline void td_bwos_paper_enter(struct td_bwos_paper *q, struct td_bwos_paper_owner *o,
                                       uint64_t number) {
  o->block = td_bwos_paper_block(q, number);
  o->slots = q->slots + (number & q->block_mask) * q->entries;
  o->top = number;
  /* relaxed: an estimate for td_bwos_paper_size. */
  atomic_store_explicit(&q->top, number, memory_order_relaxed);
}

/* Begins a new round of a block that is the owner's alone. */
static inline void td_bwos_paper_reset(struct td_bwos_paper *q, uint64_t number) {
  struct td_bwos_paper_block *block = td_bwos_paper_block(q, number);
  uint32_t round = td_bwos_paper_round_of(q, number);
  block->f_pos = 0;
  block->b_pos = 0;
  /* relaxed, both: thieves touch the block only after its grant, and know its round. */
  atomic_store_explicit(&block->s_cnt, td_bwos_paper_pack(round, 0), memory_order_relaxed);
  atomic_store_explicit(&block->s_pos, td_bwos_paper_pack(round, td_bwos_paper_owners(q)),
                        memory_order_relaxed);
}

static inline void td_bwos_paper_init(struct td_bwos_paper *q, struct td_bwos_paper_owner *o,
                                      void *storage, uint32_t blocks, uint32_t entries) {
  q->blocks = (struct td_bwos_paper_block *)storage;
  q->slots = (TD_PLAIN(uint64_t) *)(void *)(q->blocks + blocks);
  q->block_mask = blocks - 1;
  q->entries = entries;
  for (q->blocks_log2 = 0; (UINT32_C(1) << q->blocks_log2) < blocks;)
    q->blocks_log2++;
  for (uint32_t i = 0; i < blocks; i++) {
    /* As if round 0 had been used up by thieves. */
    TD_STORAGE_ATOMIC_INIT(&q->blocks[i].s_pos, (uint64_t)entries);
    TD_STORAGE_ATOMIC_INIT(&q->blocks[i].s_cnt, (uint64_t)entries);
    q->blocks[i].f_pos = q->blocks[i].b_pos = entries;
  }
  for (size_t i = 0; i < (size_t)blocks * entries; i++)
    TD_STORAGE_PLAIN_INIT(&q->slots[i], 0);
  atomic_init(&q->s_blk, (uint64_t)blocks);
  atomic_init(&q->top, (uint64_t)blocks);
  o->entries = entries;
  o->below = 0;
  td_bwos_paper_reset(q, blocks);
  td_bwos_paper_enter(q, o, blocks);
}

/* The block is full: grants it and goes on in the next. Returns false if that is still in use. */
TD_SLOW_PATH bool td_bwos_paper_advance(struct td_bwos_paper *q, struct td_bwos_paper_owner *o) {
  uint64_t next = o->top + 1;
  uint32_t round = td_bwos_paper_round_of(q, next);
  struct td_bwos_paper_block *block = td_bwos_paper_block(q, next);
  /* acquire [bwos_paper.finish]: thieves have read their items before we overwrite them. */
  uint64_t count = atomic_load_explicit(TD_STEP(bwos_paper, count) ? &block->s_cnt : &block->s_pos,
                                        TD_ORDER(bwos_paper, reclaim, acquire));
  if (td_bwos_paper_round(count) != round) {
    if (td_bwos_paper_position(count) != q->entries) return false;
    td_bwos_paper_reset(q, next);
  }
  /* release [bwos_paper.grant]: the items, before a thief claims one. */
  atomic_store_explicit(&o->block->s_pos,
                        td_bwos_paper_pack(td_bwos_paper_round_of(q, o->top), o->block->b_pos),
                        TD_ORDER(bwos_paper, grant, release));
  td_bwos_paper_enter(q, o, next);
  o->below = 1;
  return true;
}

/* The block is empty: takes over the one below. Returns false if thieves have got all of it. */
TD_SLOW_PATH bool td_bwos_paper_retreat(struct td_bwos_paper *q, struct td_bwos_paper_owner *o) {
  uint64_t number = o->top - 1;
  uint32_t round = td_bwos_paper_round_of(q, number);
  struct td_bwos_paper_block *block = td_bwos_paper_block(q, number);
  o->below = 0;
  /* relaxed: "exhausted" ends the search and touches no slot. */
  uint64_t seen = atomic_load_explicit(&block->s_pos, memory_order_relaxed);
  if (td_bwos_paper_round(seen) != round || td_bwos_paper_position(seen) >= q->entries)
    return false;
  /* relaxed: the items left are this thread's own, and those below belong to their thieves. */
  uint64_t old = atomic_exchange_explicit(
      &block->s_pos, td_bwos_paper_pack(round, td_bwos_paper_owners(q)), memory_order_relaxed);
  if (td_bwos_paper_position(old) >= q->entries) {
    /* Thieves were faster.  relaxed: says nothing but "exhausted", for good. */
    if (TD_STEP(bwos_paper, restore))
      atomic_store_explicit(&block->s_pos, old, memory_order_relaxed);
    return false;
  }
  block->b_pos = td_bwos_paper_position(old);
  block->f_pos = q->entries;
  td_bwos_paper_enter(q, o, number);
  o->below = 1;
  return true;
}

static inline bool td_bwos_paper_put(struct td_bwos_paper *q, struct td_bwos_paper_owner *o,
                                     uint64_t item) {
  if (TD_UNLIKELY(o->block->f_pos == o->entries)) {
    bool entered;
    TD_ON_COPY(struct td_bwos_paper_owner, o, copy, entered = td_bwos_paper_advance(q, copy));
    if (!entered) return false;
  }
  uint32_t f_pos = o->block->f_pos;
  TD_PLAIN_STORE(&o->slots[f_pos], item);
  o->block->f_pos = f_pos + 1;
  return true;
}

static inline uint64_t td_bwos_paper_get(struct td_bwos_paper *q, struct td_bwos_paper_owner *o) {
  if (TD_UNLIKELY(o->block->f_pos == o->block->b_pos)) {
    if (!o->below) return 0;
    bool found;
    TD_ON_COPY(struct td_bwos_paper_owner, o, copy, found = td_bwos_paper_retreat(q, copy));
    if (!found) return 0;
  }
  uint32_t f_pos = o->block->f_pos - 1;
  uint64_t item = TD_PLAIN_LOAD(&o->slots[f_pos]);
  o->block->f_pos = f_pos;
  TD_ASSUME(item != 0);
  return item;
}

static inline void td_bwos_paper_pass(struct td_bwos_paper *q, uint64_t number) {
  /* relaxed: rounds tell a thief what is old; a failure means that another thief has passed it. */
  atomic_compare_exchange_strong_explicit(&q->s_blk, &number, number + 1, memory_order_relaxed,
                                          memory_order_relaxed);
}

/* Takes one item at a time, as in the paper. */
static inline int32_t td_bwos_paper_steal(struct td_bwos_paper *q, uint64_t *out, uint32_t max) {
  for (int look = 0; look < 2 && max != 0; look++) {
    /* relaxed, both: checked by the round, and by the compare-and-swap. */
    uint64_t number = atomic_load_explicit(&q->s_blk, memory_order_relaxed);
    struct td_bwos_paper_block *block = td_bwos_paper_block(q, number);
    uint64_t seen = atomic_load_explicit(&block->s_pos, memory_order_relaxed);
    uint32_t round = td_bwos_paper_round_of(q, number);
    uint32_t position = td_bwos_paper_position(seen);
    int32_t later = (int32_t)(td_bwos_paper_round(seen) - round);
    if (!TD_STEP(bwos_paper, round)) later = 0;
    if (later < 0) return -1; /* the owner's reset of the block is not visible here yet */
    if (later == 0 && position > q->entries) return 0;
    if (later == 0 && position < q->entries) {
      /* acquire [bwos_paper.grant]: the item. */
      if (!atomic_compare_exchange_strong_explicit(&block->s_pos, &seen, seen + 1,
                                                   TD_ORDER(bwos_paper, claim, acquire),
                                                   memory_order_relaxed))
        return -1;
      out[0] = TD_PLAIN_LOAD(&q->slots[(number & q->block_mask) * q->entries + position]);
      /* release [bwos_paper.finish]: the read, before the owner reuses the block. */
      atomic_fetch_add_explicit(&block->s_cnt, 1u, TD_ORDER(bwos_paper, finish, release));
      /* At once, to spare the next thief a look. */
      if (position + 1 == q->entries && TD_STEP(bwos_paper, pass_at_once))
        td_bwos_paper_pass(q, number);
      return 1;
    }
    td_bwos_paper_pass(q, number);
  }
  return max == 0 ? 0 : -1;
}

/* The paper grants a block when it is full, never earlier. */
TD_QUEUE_WITHOUT_WISHES(bwos_paper);
TD_QUEUE_BOUNDED(bwos_paper);
TD_QUEUE_BY_ITSELF(bwos_paper);

static inline uint64_t td_bwos_paper_size(struct td_bwos_paper const *q) {
  /* relaxed, all: an estimate. */
  uint64_t number = atomic_load_explicit(&q->s_blk, memory_order_relaxed);
  uint64_t top = atomic_load_explicit(&q->top, memory_order_relaxed);
  uint64_t seen =
      atomic_load_explicit(&q->blocks[number & q->block_mask].s_pos, memory_order_relaxed);
  uint32_t position = td_bwos_paper_position(seen);
  uint64_t above = top > number + 1 ? (top - number - 1) * q->entries : 0;
  return above + (position < q->entries ? q->entries - position : 0);
}

static inline uint64_t td_bwos_paper_owned(struct td_bwos_paper_owner const *o) {
  return o->block->f_pos - o->block->b_pos;
}

#endif
