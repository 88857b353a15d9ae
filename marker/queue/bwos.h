/* LIFO block-based work stealing (BWoS), in the form that measured best.
 *
 * The queue is a ring of blocks of `entries` slots. Blocks have sequence numbers: number s lives in
 * block s mod blocks. The owner works in block `top`. Every block below it is granted to thieves.
 * They take the oldest items, which are in block `base`.
 *
 * Source: Wang et al., BWoS, OSDI 2023. Differs, for the reasons in docs/queues.md: the owner's
 * state is apart from the blocks; a block has one shared word; a thief reads before it claims, and
 * claims several items at once; part of the top block can be granted early.
 *
 * The shared word of a block is (version, limit, index):
 *   private  limit == 0                      the block is the owner's alone
 *   granted  index < limit                   thieves may claim [index, limit)
 *   drained  0 < limit == index < entries    thieves have used up the top block's early grant
 *   dead     limit == index == entries       thieves have taken the last item
 * Only the owner changes version and limit. Thieves only raise index, by compare-and-swap of the
 * whole word. Every grant that starts from `private` has a new version. So a word never returns to
 * a value that it had before slots of the block were rewritten.
 *
 * Invariants:
 *
 * [bwos.order] Blocks below base are dead. A dead block stays dead until its number is used up:
 * base > s before block s + blocks is entered. So when the block below top is dead, all are, and
 * the owner knows that the queue is empty.
 *
 * [bwos.full] Every block from base to top - 1 was granted whole (limit == entries).
 *
 * [bwos.slots] The owner writes a slot only while it is private: after an acquiring takeover, or an
 * acquiring look at a dead block. A thief that reads a slot later than that fails its claim.
 *
 * No thief can delay the owner. Before its claim a thief has written nothing, and after the claim
 * it has nothing to do that the owner needs. */
#ifndef TD_MARKER_QUEUE_BWOS_H
#define TD_MARKER_QUEUE_BWOS_H

#include "marker/queue/contract.h"

/* 13 bits of index, 13 of limit, 38 of version. Each grant of a block uses up one version. An owner
 * that does nothing but cross one block border takes about 8 ns for each. So a thief can claim what
 * is no longer there only if it is stopped between its look and its claim for over half an hour,
 * and wakes during the one grant in 2^38 that brings its word back. */
#define TD_BWOS_INDEX_BITS 13
#ifndef TD_BWOS_VERSION_BITS
#define TD_BWOS_VERSION_BITS (64 - 2 * TD_BWOS_INDEX_BITS)
#endif
#define TD_BWOS_MAX_ENTRIES (UINT32_C(1) << (TD_BWOS_INDEX_BITS - 1))

/* The most items that one claim takes. More gains nothing and starves other thieves. */
#define TD_BWOS_BATCH 32

struct td_bwos_block {
  /* Owner and thieves write and read, see above: [bwos.grant] [bwos.claim]. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) word;
};

/* A ring of blocks and their slots. Constant after init. */
struct td_bwos_ring {
  _Atomic(uint64_t) *slots;
  struct td_bwos_block *blocks;
  uint64_t block_mask;
  uint32_t entries;
};

struct td_bwos {
  _Alignas(TD_CACHE_LINE) struct td_bwos_ring ring;

  /* The number of the oldest block that may not be dead. It only grows. Thieves write and read it;
   * rarely, the owner writes: [bwos.base]. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) base;

  /* The number of the owner's block. The owner writes it at block borders; td_bwos_size reads. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) top;

  /* 1 if a thief wishes for an early grant. Thieves set it, the owner polls and clears it: so it is
   * alone in its cache line. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) want;
};

/* The private items are [floor, cursor), in the block that ends at end. */
struct td_bwos_owner {
  _Atomic(uint64_t) *cursor;
  _Atomic(uint64_t) *floor;
  _Atomic(uint64_t) *end;
  uint64_t top;
  uint32_t limit; /* slots below this were granted early from the top block; 0: none */
  uint32_t below; /* may something of ours be granted and not yet taken? */
};

static inline uint64_t td_bwos_word(uint64_t version, uint32_t limit, uint32_t index) {
  uint64_t kept = version & (UINT64_MAX >> (64 - TD_BWOS_VERSION_BITS));
  return kept << (2 * TD_BWOS_INDEX_BITS) | (uint64_t)limit << TD_BWOS_INDEX_BITS | index;
}

static inline uint64_t td_bwos_version(uint64_t word) {
  return word >> (2 * TD_BWOS_INDEX_BITS);
}

static inline uint32_t td_bwos_limit(uint64_t word) {
  return (uint32_t)(word >> TD_BWOS_INDEX_BITS) & ((UINT32_C(1) << TD_BWOS_INDEX_BITS) - 1);
}

static inline uint32_t td_bwos_index(uint64_t word) {
  return (uint32_t)word & ((UINT32_C(1) << TD_BWOS_INDEX_BITS) - 1);
}

static inline _Atomic(uint64_t) *td_bwos_shared(struct td_bwos_ring const *r, uint64_t number) {
  return &r->blocks[number & r->block_mask].word;
}

static inline _Atomic(uint64_t) *td_bwos_slot(struct td_bwos_ring const *r, uint64_t number,
                                              uint32_t index) {
  return r->slots + (number & r->block_mask) * r->entries + index;
}

static inline size_t td_bwos_storage_bytes(uint32_t blocks, uint32_t entries) {
  if (blocks < 2 || entries < 2 || entries > TD_BWOS_MAX_ENTRIES) return 0;
  return td_queue_bytes(blocks, entries, sizeof(_Atomic(uint64_t)), sizeof(struct td_bwos_block));
}

/* Makes a ring whose blocks are private and empty. */
static inline void td_bwos_ring_init(struct td_bwos_ring *r, void *storage, uint32_t blocks,
                                     uint32_t entries) {
  /* Words first: they need the storage's alignment. */
  r->blocks = (struct td_bwos_block *)storage;
  r->slots = (_Atomic(uint64_t) *)(void *)(r->blocks + blocks);
  r->block_mask = blocks - 1;
  r->entries = entries;
  for (uint32_t i = 0; i < blocks; i++)
    TD_STORAGE_ATOMIC_INIT(&r->blocks[i].word, UINT64_C(0));
  for (size_t i = 0; i < (size_t)blocks * entries; i++)
    TD_STORAGE_ATOMIC_INIT(&r->slots[i], UINT64_C(0));
}

/* From now on, the owner works in block `number`, and its private items are [floor, cursor). */
static inline void td_bwos_enter(struct td_bwos *q, struct td_bwos_owner *o, uint64_t number,
                                 uint32_t floor, uint32_t cursor) {
  o->top = number;
  o->floor = td_bwos_slot(&q->ring, number, floor);
  o->cursor = td_bwos_slot(&q->ring, number, cursor);
  o->end = td_bwos_slot(&q->ring, number, q->ring.entries);
  o->limit = 0;
  /* relaxed: an estimate for td_bwos_size. */
  atomic_store_explicit(&q->top, number, memory_order_relaxed);
}

static inline void td_bwos_init(struct td_bwos *q, struct td_bwos_owner *o, void *storage,
                                uint32_t blocks, uint32_t entries) {
  td_bwos_ring_init(&q->ring, storage, blocks, entries);
  /* Numbers start at one ring, so that no number below is negative. */
  atomic_init(&q->base, (uint64_t)blocks);
  atomic_init(&q->top, (uint64_t)blocks);
  atomic_init(&q->want, 0u);
  o->below = 0;
  td_bwos_enter(q, o, blocks, 0, 0);
}

/* Grants the private items of the top block up to slot `limit`. */
static inline void td_bwos_publish(struct td_bwos *q, struct td_bwos_owner *o, uint32_t limit) {
  _Atomic(uint64_t) *word = td_bwos_shared(&q->ring, o->top);
  if (o->limit == 0) {
    /* relaxed: a private word was last written by this thread. */
    uint64_t old = atomic_load_explicit(word, memory_order_relaxed);
    uint32_t first = (uint32_t)(o->floor - td_bwos_slot(&q->ring, o->top, 0));
    /* release [bwos.grant]: the items, before a thief sees the range. */
    atomic_store_explicit(word,
                          td_bwos_word(td_bwos_version(old) + TD_STEP(bwos, version), limit, first),
                          TD_ORDER(bwos, grant, release));
  } else {
    /* Thieves may be moving index, so only limit may change.  release [bwos.grant], as above. */
    atomic_fetch_add_explicit(word, (uint64_t)(limit - o->limit) << TD_BWOS_INDEX_BITS,
                              TD_ORDER(bwos, grant_more, release));
  }
  o->limit = limit;
  o->below = 1;
}

/* Makes base > number. Every block up to number is dead. */
static inline void td_bwos_move_base_past(struct td_bwos *q, uint64_t number) {
  /* relaxed: base only grows, so it is at least this. */
  uint64_t dead = atomic_load_explicit(&q->base, memory_order_relaxed);
  for (; dead <= number; dead++) {
    uint64_t expected = dead;
    /* release [bwos.base]: the state of block dead + 1, before a thief looks there.  relaxed on
     * failure: another thief has passed it. */
    atomic_compare_exchange_strong_explicit(&q->base, &expected, dead + 1,
                                            TD_ORDER(bwos, base_set_owner, release),
                                            memory_order_relaxed);
  }
}

/* The top block is full: grants it and enters the next. Returns false if the ring is full. */
TD_SLOW_PATH bool td_bwos_up(struct td_bwos *q, struct td_bwos_owner *o) {
  uint64_t next = o->top + 1;
  _Atomic(uint64_t) *word = td_bwos_shared(&q->ring, next);
  /* acquire [bwos.claim]: thieves have read what they claimed before we overwrite it. */
  uint64_t old = atomic_load_explicit(word, TD_ORDER(bwos, reclaim, acquire));
  if (td_bwos_limit(old) != 0) {
    if (td_bwos_index(old) != q->ring.entries && TD_STEP(bwos, full)) return false;
    /* A thief that sees the new state of this block must not come to it by its old number. */
    if (TD_STEP(bwos, base_past)) td_bwos_move_base_past(q, next - q->ring.block_mask - 1);
    /* relaxed: the grant that follows publishes it [bwos.grant], and every thief that gets here by
     * way of base has seen that grant. So none takes the old "dead" for this number's. */
    if (TD_STEP(bwos, private))
      atomic_store_explicit(word, td_bwos_word(td_bwos_version(old), 0, 0), memory_order_relaxed);
  }
  td_bwos_publish(q, o, q->ring.entries);
  td_bwos_enter(q, o, next, 0, 0);
  return true;
}

/* Takes back what thieves have left of a block. Returns the word as it was. */
static inline uint64_t td_bwos_takeover(_Atomic(uint64_t) *word) {
  /* relaxed: only for the version, which this thread alone writes. */
  uint64_t old = atomic_load_explicit(word, memory_order_relaxed);
  /* acquire [bwos.claim]: as in td_bwos_up. */
  return atomic_exchange_explicit(word, td_bwos_word(td_bwos_version(old), 0, 0),
                                  TD_ORDER(bwos, takeover, acquire));
}

/* No private items are left: takes back granted ones. Returns false if thieves have got them all.
 */
TD_SLOW_PATH bool td_bwos_down(struct td_bwos *q, struct td_bwos_owner *o) {
  if (o->limit != 0) {
    uint64_t old = td_bwos_takeover(td_bwos_shared(&q->ring, o->top));
    uint32_t first = td_bwos_index(old);
    uint32_t limit = td_bwos_limit(old);
    td_bwos_enter(q, o, o->top, first, limit);
    if (first < limit) return true;
  }
  /* The whole top block is ours and empty. */
  td_bwos_enter(q, o, o->top, 0, 0);
  _Atomic(uint64_t) *word = td_bwos_shared(&q->ring, o->top - 1);
  /* relaxed: "dead" or "never used" ends the search and touches no slot. */
  uint64_t seen = atomic_load_explicit(word, memory_order_relaxed);
  if (td_bwos_index(seen) < td_bwos_limit(seen)) {
    uint64_t old = td_bwos_takeover(word);
    if (td_bwos_index(old) < q->ring.entries) {
      td_bwos_enter(q, o, o->top - 1, td_bwos_index(old), q->ring.entries);
      return true;
    }
    /* Thieves were faster.  release [bwos.grant]: a thief that learns "dead" from here must still
     * learn that the block above is private. */
    if (TD_STEP(bwos, restore)) atomic_store_explicit(word, old, TD_ORDER(bwos, restore, release));
  }
  o->below = 0;
  return false;
}

static inline bool td_bwos_put(struct td_bwos *q, struct td_bwos_owner *o, uint64_t item) {
  if (TD_UNLIKELY(o->cursor == o->end)) {
    bool entered;
    TD_ON_COPY(struct td_bwos_owner, o, copy, entered = td_bwos_up(q, copy));
    if (!entered) return false;
  }
  /* relaxed: published by a later grant; atomic because a thief too late may still read it. */
  o->cursor++; /* before the store, so that the next put does not wait for the item */
  atomic_store_explicit(o->cursor - 1, item, memory_order_relaxed);
  return true;
}

static inline uint64_t td_bwos_get(struct td_bwos *q, struct td_bwos_owner *o) {
  if (TD_UNLIKELY(o->cursor == o->floor)) {
    if (!o->below) return 0;
    bool found;
    TD_ON_COPY(struct td_bwos_owner, o, copy, found = td_bwos_down(q, copy));
    if (!found) return 0;
  }
  o->cursor--;
  /* relaxed: this thread wrote it. */
  uint64_t item = atomic_load_explicit(o->cursor, memory_order_relaxed);
  TD_ASSUME(item != 0);
  return item;
}

/* Claims items of block `number`, whose word was seen as `word` with index < limit. Returns as
 * td_Q_steal does. */
static inline int32_t td_bwos_claim(struct td_bwos_ring const *r, uint64_t number, uint64_t word,
                                    uint64_t *out, uint32_t max) {
  uint32_t first = td_bwos_index(word);
  uint32_t count = td_bwos_limit(word) - first;
  if (count > max) count = max;
  if (count > TD_BWOS_BATCH) count = TD_BWOS_BATCH;
  _Atomic(uint64_t) *slot = td_bwos_slot(r, number, first);
  /* relaxed: if the owner has rewritten a slot, it has changed the word and the claim fails. */
  for (uint32_t i = 0; i < count; i++)
    out[i] = atomic_load_explicit(slot + i, memory_order_relaxed);
  /* release [bwos.claim]: the reads stay before the claim. (RC11 gives that for nothing; IMM and
   * Arm do not.)  relaxed on failure: nothing was learnt. */
  if (!atomic_compare_exchange_strong_explicit(td_bwos_shared(r, number), &word, word + count,
                                               TD_ORDER(bwos, claim, release),
                                               memory_order_relaxed))
    return -1;
  return (int32_t)count;
}

static inline void td_bwos_pass_dead(struct td_bwos *q, uint64_t number) {
  /* release [bwos.base]: what this thief knows of block number + 1, before others look there.
   * relaxed on failure: another thread has passed it. */
  atomic_compare_exchange_strong_explicit(
      &q->base, &number, number + 1, TD_ORDER(bwos, base_set_thief, release), memory_order_relaxed);
}

static inline int32_t td_bwos_steal(struct td_bwos *q, uint64_t *out, uint32_t max) {
  for (int look = 0; look < 2 && max != 0; look++) {
    /* acquire [bwos.base]: the word read next is this number's, or newer. */
    uint64_t number = atomic_load_explicit(&q->base, TD_ORDER(bwos, base_get, acquire));
    /* acquire [bwos.grant]: the items, and the state of the block above. */
    uint64_t word =
        atomic_load_explicit(td_bwos_shared(&q->ring, number), TD_ORDER(bwos, see, acquire));
    /* relaxed: if the word is a later number's, the acquire above makes base's change visible. */
    if (TD_STEP(bwos, recheck) && atomic_load_explicit(&q->base, memory_order_relaxed) != number)
      return -1;
    uint32_t first = td_bwos_index(word);
    if (first < td_bwos_limit(word)) {
      int32_t taken = td_bwos_claim(&q->ring, number, word, out, max);
      /* At once, to spare the next thief a look. If this thief stopped here for ever, the next one
       * or the owner would do it. */
      if (taken > 0 && first + (uint32_t)taken == q->ring.entries && TD_STEP(bwos, pass_at_once))
        td_bwos_pass_dead(q, number);
      return taken;
    }
    if (first != q->ring.entries && TD_STEP(bwos, dead)) return 0;
    td_bwos_pass_dead(q, number);
  }
  return max == 0 ? 0 : -1;
}

static inline void td_bwos_wish(_Atomic(uint32_t) *want) {
  /* relaxed, both: a wish orders nothing. It is looked at first, so that the owner keeps the line.
   */
  if (atomic_load_explicit(want, memory_order_relaxed) == 0)
    atomic_store_explicit(want, 1u, memory_order_relaxed);
}

static inline bool td_bwos_is_wished(_Atomic(uint32_t) const *want) {
  /* relaxed: as above. */
  return atomic_load_explicit(want, memory_order_relaxed) != 0;
}

static inline void td_bwos_want(struct td_bwos *q) {
  td_bwos_wish(&q->want);
}

static inline bool td_bwos_wanted(struct td_bwos const *q) {
  return td_bwos_is_wished(&q->want);
}

TD_SLOW_PATH void td_bwos_grant_half(struct td_bwos *q, struct td_bwos_owner *o) {
  uint32_t half = (uint32_t)(o->cursor - o->floor) / 2;
  td_bwos_publish(q, o, (uint32_t)(o->floor - td_bwos_slot(&q->ring, o->top, 0)) + half);
  o->floor += half;
  /* relaxed: a wish orders nothing. */
  atomic_store_explicit(&q->want, 0u, memory_order_relaxed);
}

static inline void td_bwos_grant(struct td_bwos *q, struct td_bwos_owner *o) {
  if (o->cursor - o->floor < 2) return;
  TD_ON_COPY(struct td_bwos_owner, o, copy, td_bwos_grant_half(q, copy));
}

static inline uint64_t td_bwos_size(struct td_bwos const *q) {
  /* relaxed, all: an estimate from one block's word and the two numbers. */
  uint64_t base = atomic_load_explicit(&q->base, memory_order_relaxed);
  uint64_t top = atomic_load_explicit(&q->top, memory_order_relaxed);
  uint64_t word =
      atomic_load_explicit(&q->ring.blocks[base & q->ring.block_mask].word, memory_order_relaxed);
  uint64_t above = top > base + 1 ? (top - base - 1) * q->ring.entries : 0;
  return above + td_bwos_limit(word) - td_bwos_index(word);
}

static inline uint64_t td_bwos_owned(struct td_bwos_owner const *o) {
  return (uint64_t)(o->cursor - o->floor);
}

TD_QUEUE_BOUNDED(bwos);
TD_QUEUE_BY_ITSELF(bwos);

#endif
