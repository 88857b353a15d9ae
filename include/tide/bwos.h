/* SPDX-License-Identifier: MIT */
/* Block-based work stealing (BWoS): queues for schedulers, job systems and graph searches.
 *
 * C11 and later, C++11 and later, GCC or Clang; 32 bits as well if atomics of 64 are lock-free.
 * Longer than 400 lines because it is whole: it includes nothing of Tidemark's and can be used
 * alone, by copying it. The guide is docs/bwos.md.
 *
 *   TIDE_BWOS_DEFINE(jobs, struct job);       last in, first out
 *   TIDE_BWOS_FIFO_DEFINE(jobs, struct job);  first in, first out
 *
 * Either defines struct jobs, a queue that belongs to one thread, its owner; struct jobs_owner,
 * what only the owner touches; and the functions below. A type is trivially copyable and has at
 * most 64 bytes. The queue takes blocks * entries items.
 *
 *   size_t jobs_storage_bytes(uint32_t blocks, uint32_t entries)
 *       Bytes of storage, or 0 if that cannot be: see jobs_make. That is blocks * (64 + entries *
 *       an item's size, rounded up to a multiple of 8).
 *   const char *jobs_make(struct jobs *, struct jobs_owner *, void *storage, size_t bytes,
 *                         uint32_t blocks, uint32_t entries)
 *       Makes an empty queue, before another thread uses it. Blocks and entries are powers of
 *       two from 2 on, entries up to 4096. Queue and storage are aligned to 64 bytes. The
 *       storage is the caller's and outlives the queue; there is nothing to destroy. Returns
 *       NULL, or what is wrong; then nothing was touched.
 *
 * The owner:
 *   bool jobs_put(struct jobs *, struct jobs_owner *, struct job)
 *       False if the queue is full; then nothing was stored: run the job, or keep it elsewhere.
 *       A last-in, first-out queue has room again after a get, or once thieves have emptied its
 *       oldest block.
 *       A first-in, first-out queue that is full stays so, whatever thieves take, until the
 *       owner's gets have gone past its oldest block. Sharing with a thief uses up a whole block.
 *   bool jobs_get(struct jobs *, struct jobs_owner *, struct job *out)
 *       False if the queue is empty: all that was put has been got or stolen.
 *   void jobs_poll(struct jobs *, struct jobs_owner *)
 *       Shares with waiting thieves. Put and get do that; a job that does neither for long may.
 *
 * Any other thread, a thief:
 *   tide_bwos_taken jobs_steal(struct jobs *, struct job *out, uint32_t max)
 *       Takes up to max items, at most 32: the oldest, or in first-in, first-out queues some of
 *       any block. Never waits. All of out may be overwritten even where nothing is taken.
 *       Finding nothing, it asks the owner to share. In a first-in, first-out queue it looks at
 *       four blocks, the next steal at the next four: blocks / 4 steals in a row that find nothing
 *       have looked at all.
 *
 * Any thread:
 *   uint64_t jobs_size(const struct jobs *)
 *       Roughly how many items thieves could take. A first-in, first-out queue counts blocks that
 *       its owner has not reached as full, though thieves may have emptied them.
 *
 * The expert form does not share by itself:
 *   jobs_put_only, jobs_get_only, jobs_steal_only
 *       as above
 *   void jobs_want(struct jobs *)
 *       A thief asks.
 *   bool jobs_wanted(const struct jobs *)
 *       The owner looks: one relaxed load.
 *   void jobs_grant(struct jobs *, struct jobs_owner *)
 *       The owner shares half of two items or more.
 *   uint64_t jobs_owned(const struct jobs_owner *)
 *       Roughly how many items the owner could share. A first-in, first-out queue tells blocks in
 *       place of items, and four more unless it is empty.
 *
 * Its owner may keep struct jobs_owner in a local variable, so that it lives in registers.
 * TIDE_BWOS_EXPERT_DEFINE(name, type, none) and TIDE_BWOS_FIFO_EXPERT_DEFINE are for a type that ==
 * compares and a value `none` that is never put. There put and steal do not share, and
 * `type name_get(q, o)` returns an item, or `none`.
 *
 * Names that end in _ are this header's own. */
#ifndef TIDE_BWOS_H
#define TIDE_BWOS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What a steal found: how many items it took, or one of these. */
typedef int32_t tide_bwos_taken;
enum {
  TIDE_BWOS_NOTHING = 0, /* nothing to take now */
  TIDE_BWOS_AGAIN = -1,  /* another thread was faster: another try may succeed */
};

#define TIDE_BWOS_ITEM_MAX 64u /* bytes of an item */
#define TIDE_BWOS_BATCH 32u /* the most items of a steal: more gains nothing and starves others */

/* ---- Two languages, and model checkers --------------------------------------------------- */

/* A model checker brings these and can weaken an order, or leave out a step, of this very code.
 * "form" and "site" name the place. */
#ifndef TIDE_BWOS_ATOMIC
#ifdef __cplusplus
#include <atomic>
#include <new>
#include <type_traits>
#define TIDE_BWOS_ATOMIC(type) std::atomic<type>
#define TIDE_BWOS_ALIGNED alignas(64)
#define TIDE_BWOS_ORDER(form, site, order) std::memory_order_##order
#define TIDE_BWOS_RELAXED std::memory_order_relaxed
#define TIDE_BWOS_INIT(pointer, value) std::atomic_store_explicit(pointer, value, TIDE_BWOS_RELAXED)
#define TIDE_BWOS_INIT_STORAGE(pointer, value)                                                     \
  ((void)::new (static_cast<void *>(pointer)) std::atomic<uint64_t>(value))
#define TIDE_BWOS_INIT_SLOT(pointer)                                                               \
  ((void)::new (static_cast<void *>(pointer)) std::atomic<uint64_t>)
#define TIDE_BWOS_REQUIRE(type)                                                                    \
  static_assert(sizeof(type) <= TIDE_BWOS_ITEM_MAX, #type " has over 64 bytes");                   \
  static_assert(std::is_trivially_copyable<type>::value, #type " is not trivially copyable")
#else
#include <stdatomic.h>
#define TIDE_BWOS_ATOMIC(type) _Atomic(type)
#define TIDE_BWOS_ALIGNED _Alignas(64)
#define TIDE_BWOS_ORDER(form, site, order) memory_order_##order
#define TIDE_BWOS_RELAXED memory_order_relaxed
#define TIDE_BWOS_INIT(pointer, value) atomic_init(pointer, value)
#define TIDE_BWOS_INIT_STORAGE(pointer, value) atomic_init(pointer, value)
#define TIDE_BWOS_INIT_SLOT(pointer) ((void)(pointer))
#define TIDE_BWOS_REQUIRE(type)                                                                    \
  _Static_assert(sizeof(type) - 1 < TIDE_BWOS_ITEM_MAX, #type " has no bytes, or over 64 bytes")
#endif
#define TIDE_BWOS_STEP(form, site) 1
#define TIDE_BWOS_LINE 64u /* bytes of a cache line; checkers place objects where they like */
#define TIDE_BWOS_COPY(to, from, bytes) memcpy(to, from, bytes)
#define TIDE_BWOS_ASSUME(condition) ((condition) ? (void)0 : __builtin_unreachable())
#endif
#ifndef TIDE_BWOS_ON_COPY
/* Slow paths are out of line, so that the hot loop around them stays small. They get a copy of the
 * owner's state: otherwise its address would escape, and the cursor could not live in a register.
 */
#define TIDE_BWOS_ON_COPY(type, owner, copy, statement)                                            \
  do {                                                                                             \
    type copied_ = *(owner);                                                                       \
    type *copy = &copied_;                                                                         \
    statement;                                                                                     \
    *(owner) = copied_;                                                                            \
  } while (0)
#endif

#define TIDE_BWOS_FUNCTION __attribute__((unused)) static inline
#define TIDE_BWOS_INLINE __attribute__((always_inline, unused)) static inline
#define TIDE_BWOS_SLOW __attribute__((noinline, cold, unused)) static
#define TIDE_BWOS_RARELY(condition) __builtin_expect(!!(condition), 0)

/* ---- The ring of blocks ------------------------------------------------------------------ */

/* Blocks have sequence numbers: number s lives in block s mod blocks. The shared word of a block is
 * (version, limit, index):
 *   private  limit == 0                      the block is the owner's alone
 *   granted  index < limit                   thieves may claim [index, limit)
 *   drained  0 < limit == index < entries    thieves have used up what was granted early
 *   dead     limit == index == entries       thieves have taken the last item
 * Only the owner changes version and limit. Thieves only raise index, by compare-and-swap of the
 * whole word. Every grant that starts from `private` has a new version. So a word never returns to
 * a value that it had before slots of the block were rewritten.
 *
 * 13 bits of index, 13 of limit, 38 of version. Each grant of a block uses up one version. An owner
 * that does nothing but cross one block border takes about 8 ns for each. So a thief can claim what
 * is no longer there only if it is stopped between its look and its claim for over half an hour,
 * and wakes during the one grant in 2^38 that brings its word back. */
#define TIDE_BWOS_INDEX_BITS 13
#ifndef TIDE_BWOS_VERSION_BITS
#define TIDE_BWOS_VERSION_BITS (64 - 2 * TIDE_BWOS_INDEX_BITS)
#endif
#define TIDE_BWOS_ENTRIES_MAX (UINT32_C(1) << (TIDE_BWOS_INDEX_BITS - 1))

typedef TIDE_BWOS_ATOMIC(uint64_t) tide_bwos_cell_; /* eight bytes of an item, or a shared word */

struct tide_bwos_block_ {
  /* Owner and thieves write and read, see above: [bwos.grant] [bwos.claim]. */
  TIDE_BWOS_ALIGNED tide_bwos_cell_ word;
};

/* Constant once made. A slot is `words` cells, which every function that needs it is given: where
 * there is one type of item, the compiler knows it. */
struct tide_bwos_ring_ {
  tide_bwos_cell_ *slots;
  struct tide_bwos_block_ *blocks;
  uint64_t block_mask;
  uint32_t entries;
};

TIDE_BWOS_FUNCTION uint64_t tide_bwos_word_(uint64_t version, uint32_t limit, uint32_t index) {
  uint64_t kept = version & (UINT64_MAX >> (64 - TIDE_BWOS_VERSION_BITS));
  return kept << (2 * TIDE_BWOS_INDEX_BITS) | (uint64_t)limit << TIDE_BWOS_INDEX_BITS | index;
}

TIDE_BWOS_FUNCTION uint64_t tide_bwos_version_(uint64_t word) {
  return word >> (2 * TIDE_BWOS_INDEX_BITS);
}

TIDE_BWOS_FUNCTION uint32_t tide_bwos_limit_(uint64_t word) {
  return (uint32_t)(word >> TIDE_BWOS_INDEX_BITS) & ((UINT32_C(1) << TIDE_BWOS_INDEX_BITS) - 1);
}

TIDE_BWOS_FUNCTION uint32_t tide_bwos_index_(uint64_t word) {
  return (uint32_t)word & ((UINT32_C(1) << TIDE_BWOS_INDEX_BITS) - 1);
}

TIDE_BWOS_INLINE uint32_t tide_bwos_words_(size_t bytes) {
  return (uint32_t)((bytes + 7) / 8);
}

TIDE_BWOS_INLINE tide_bwos_cell_ *tide_bwos_shared_(struct tide_bwos_ring_ const *r,
                                                    uint64_t number) {
  return &r->blocks[number & r->block_mask].word;
}

TIDE_BWOS_INLINE tide_bwos_cell_ *tide_bwos_slot_(struct tide_bwos_ring_ const *r, uint64_t number,
                                                  uint32_t index, uint32_t words) {
  return r->slots + ((number & r->block_mask) * r->entries + index) * words;
}

/* How many items lie between two slots. */
TIDE_BWOS_INLINE uint32_t tide_bwos_between_(tide_bwos_cell_ const *from, tide_bwos_cell_ const *to,
                                             uint32_t words) {
  return (uint32_t)(to - from) / words;
}

/* Items are copied cell by cell: the owner writes while a thief that is too late may still read.
 * relaxed, both: a grant publishes what was written [bwos.grant], and a claim fails that has read
 * what was written later. */
TIDE_BWOS_INLINE void tide_bwos_write_cell_(tide_bwos_cell_ *cell, const void *from, size_t bytes) {
  uint64_t word = 0;
  TIDE_BWOS_COPY(&word, from, bytes);
  atomic_store_explicit(cell, word, TIDE_BWOS_RELAXED);
}

TIDE_BWOS_INLINE void tide_bwos_read_cell_(tide_bwos_cell_ *cell, void *to, size_t bytes) {
  uint64_t word = atomic_load_explicit(cell, TIDE_BWOS_RELAXED);
  TIDE_BWOS_COPY(to, &word, bytes);
}

/* One cell is copied without a loop: a compiler that weighs what to inline counts loops. */
TIDE_BWOS_INLINE void tide_bwos_write_(tide_bwos_cell_ *slot, const void *item, size_t bytes) {
  size_t at = 0;
  if (bytes > 8)
    for (; bytes - at > 8; at += 8)
      tide_bwos_write_cell_(slot + at / 8, (const char *)item + at, bytes < 8 ? bytes : 8);
  tide_bwos_write_cell_(slot + at / 8, (const char *)item + at, bytes - at);
}

TIDE_BWOS_INLINE void tide_bwos_read_(tide_bwos_cell_ *slot, void *item, size_t bytes) {
  size_t at = 0;
  if (bytes > 8)
    for (; bytes - at > 8; at += 8)
      tide_bwos_read_cell_(slot + at / 8, (char *)item + at, bytes < 8 ? bytes : 8);
  tide_bwos_read_cell_(slot + at / 8, (char *)item + at, bytes - at);
}

TIDE_BWOS_FUNCTION size_t tide_bwos_storage_bytes_(uint32_t blocks, uint32_t entries,
                                                   size_t bytes) {
  if (blocks < 2 || entries < 2 || entries > TIDE_BWOS_ENTRIES_MAX) return 0;
  if ((blocks & (blocks - 1)) != 0 || (entries & (entries - 1)) != 0) return 0;
  uint64_t block = sizeof(struct tide_bwos_block_) +
                   (uint64_t)entries * tide_bwos_words_(bytes) * sizeof(tide_bwos_cell_);
  return blocks > SIZE_MAX / 2 / block ? 0 : (size_t)(blocks * block);
}

TIDE_BWOS_FUNCTION const char *tide_bwos_refuse_(const void *q, const void *o, const void *storage,
                                                 size_t bytes, size_t needed) {
  if (needed == 0) return "blocks and entries must be powers of two, 2 or more, entries up to 4096";
  if (!q || (uintptr_t)q % TIDE_BWOS_LINE != 0) return "the queue is not aligned to 64 bytes";
  if (!o) return "there is no owner";
  if (!storage || (uintptr_t)storage % TIDE_BWOS_LINE != 0)
    return "the storage is not aligned to 64 bytes";
  return bytes < needed ? "the storage is too small" : NULL;
}

/* Makes a ring whose blocks are private and empty. Slots have no values: nobody reads one before a
 * word tells that it was written. */
TIDE_BWOS_FUNCTION void tide_bwos_ring_make_(struct tide_bwos_ring_ *r, void *storage,
                                             uint32_t blocks, uint32_t entries, uint32_t words) {
  /* Words first: they need the storage's alignment. */
  r->blocks = (struct tide_bwos_block_ *)storage;
  r->slots = (tide_bwos_cell_ *)(void *)(r->blocks + blocks);
  r->block_mask = blocks - 1;
  r->entries = entries;
  for (uint32_t i = 0; i < blocks; i++)
    TIDE_BWOS_INIT_STORAGE(&r->blocks[i].word, UINT64_C(0));
  for (size_t i = 0; i < (size_t)blocks * entries * words; i++)
    TIDE_BWOS_INIT_SLOT(&r->slots[i]);
}

/* Claims items of block `number`, whose word was seen as `word` with index < limit. Returns as a
 * steal does.
 *
 * Items are read before they are claimed, so that a thief owes the owner nothing after its claim:
 * one that is stopped for ever delays nobody. An item of several cells is not torn: the owner
 * rewrites a slot only after it has changed the word. If this thief's claim came before that
 * change, the claim's release and the takeover's acquire [bwos.claim] put every read of it before
 * every rewriting store. If it came after, the word's new version makes it fail. */
TIDE_BWOS_FUNCTION int32_t tide_bwos_claim_(struct tide_bwos_ring_ const *r, uint64_t number,
                                            uint64_t word, void *out, uint32_t max, size_t bytes) {
  uint32_t first = tide_bwos_index_(word);
  uint32_t count = tide_bwos_limit_(word) - first;
  if (count > max) count = max;
  if (count > TIDE_BWOS_BATCH) count = TIDE_BWOS_BATCH;
  uint32_t words = tide_bwos_words_(bytes);
  tide_bwos_cell_ *slot = tide_bwos_slot_(r, number, first, words);
  for (uint32_t i = 0; i < count; i++)
    tide_bwos_read_(slot + (size_t)i * words, (char *)out + i * bytes, bytes);
  /* release [bwos.claim]: the reads stay before the claim. (RC11 gives that for nothing; IMM and
   * Arm do not.)  relaxed on failure: nothing was learnt. */
  if (!atomic_compare_exchange_strong_explicit(tide_bwos_shared_(r, number), &word, word + count,
                                               TIDE_BWOS_ORDER(bwos, claim, release),
                                               TIDE_BWOS_RELAXED))
    return TIDE_BWOS_AGAIN;
  return (int32_t)count;
}

TIDE_BWOS_INLINE void tide_bwos_wish_(TIDE_BWOS_ATOMIC(uint32_t) * want) {
  /* relaxed, both: a wish orders nothing. It is looked at first, so that the owner keeps the line.
   */
  if (atomic_load_explicit(want, TIDE_BWOS_RELAXED) == 0)
    atomic_store_explicit(want, 1u, TIDE_BWOS_RELAXED);
}

TIDE_BWOS_INLINE bool tide_bwos_is_wished_(TIDE_BWOS_ATOMIC(uint32_t) const *want) {
  /* relaxed: as above. */
  return atomic_load_explicit(want, TIDE_BWOS_RELAXED) != 0;
}

/* ---- Last in, first out ------------------------------------------------------------------ */

/* The owner works in block `top`. Every block below it is granted to thieves. They take the oldest
 * items, which are in block `base`.
 *
 * Source: Wang et al., BWoS, OSDI 2023. Differs, for the reasons in docs/bwos.md: the owner's state
 * is apart from the blocks; a block has one shared word; a thief reads before it claims, and claims
 * several items at once; part of the top block can be granted early.
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
struct tide_bwos_ {
  TIDE_BWOS_ALIGNED struct tide_bwos_ring_ ring;

  /* The number of the oldest block that may not be dead. It only grows. Thieves write and read it;
   * rarely, the owner writes: [bwos.base]. */
  TIDE_BWOS_ALIGNED TIDE_BWOS_ATOMIC(uint64_t) base;

  /* The number of the owner's block. The owner writes it at block borders; size reads. */
  TIDE_BWOS_ALIGNED TIDE_BWOS_ATOMIC(uint64_t) top;

  /* 1 if a thief wishes for an early grant. Thieves set it, the owner polls and clears it: so it is
   * alone in its cache line. */
  TIDE_BWOS_ALIGNED TIDE_BWOS_ATOMIC(uint32_t) want;
};

/* The private items are [floor, cursor), in the block that ends at end. */
struct tide_bwos_owner_ {
  tide_bwos_cell_ *cursor;
  tide_bwos_cell_ *floor;
  tide_bwos_cell_ *end;
  uint64_t top;
  uint32_t limit; /* slots below this were granted early from the top block; 0: none */
  uint32_t below; /* may something of ours be granted and not yet taken? */
};

/* From now on, the owner works in block `number`, and its private items are [floor, cursor). */
TIDE_BWOS_FUNCTION void tide_bwos_enter_(struct tide_bwos_ *q, struct tide_bwos_owner_ *o,
                                         uint64_t number, uint32_t floor, uint32_t cursor,
                                         uint32_t words) {
  o->top = number;
  o->floor = tide_bwos_slot_(&q->ring, number, floor, words);
  o->cursor = tide_bwos_slot_(&q->ring, number, cursor, words);
  o->end = tide_bwos_slot_(&q->ring, number, q->ring.entries, words);
  o->limit = 0;
  /* relaxed: an estimate for size. */
  atomic_store_explicit(&q->top, number, TIDE_BWOS_RELAXED);
}

TIDE_BWOS_INLINE void tide_bwos_make_(struct tide_bwos_ *q, struct tide_bwos_owner_ *o,
                                      void *storage, uint32_t blocks, uint32_t entries,
                                      size_t item) {
  uint32_t words = tide_bwos_words_(item);
  tide_bwos_ring_make_(&q->ring, storage, blocks, entries, words);
  /* Numbers start at one ring, so that no number below is negative. */
  TIDE_BWOS_INIT(&q->base, (uint64_t)blocks);
  TIDE_BWOS_INIT(&q->top, (uint64_t)blocks);
  TIDE_BWOS_INIT(&q->want, 0u);
  o->below = 0;
  tide_bwos_enter_(q, o, blocks, 0, 0, words);
}

/* Grants the private items of the top block up to slot `limit`. */
TIDE_BWOS_FUNCTION void tide_bwos_publish_(struct tide_bwos_ *q, struct tide_bwos_owner_ *o,
                                           uint32_t limit, uint32_t words) {
  tide_bwos_cell_ *word = tide_bwos_shared_(&q->ring, o->top);
  if (o->limit == 0) {
    /* relaxed: a private word was last written by this thread. */
    uint64_t old = atomic_load_explicit(word, TIDE_BWOS_RELAXED);
    uint32_t first =
        tide_bwos_between_(tide_bwos_slot_(&q->ring, o->top, 0, words), o->floor, words);
    uint64_t version = tide_bwos_version_(old) + TIDE_BWOS_STEP(bwos, version);
    /* release [bwos.grant]: the items, before a thief sees the range. */
    atomic_store_explicit(word, tide_bwos_word_(version, limit, first),
                          TIDE_BWOS_ORDER(bwos, grant, release));
  } else {
    /* Thieves may be moving index, so only limit may change.  release [bwos.grant], as above. */
    atomic_fetch_add_explicit(word, (uint64_t)(limit - o->limit) << TIDE_BWOS_INDEX_BITS,
                              TIDE_BWOS_ORDER(bwos, grant_more, release));
  }
  o->limit = limit;
  o->below = 1;
}

/* Makes base > number. Every block up to number is dead. */
TIDE_BWOS_FUNCTION void tide_bwos_move_base_past_(struct tide_bwos_ *q, uint64_t number) {
  /* relaxed: base only grows, so it is at least this. */
  uint64_t dead = atomic_load_explicit(&q->base, TIDE_BWOS_RELAXED);
  for (; dead <= number; dead++) {
    uint64_t expected = dead;
    /* release [bwos.base]: the state of block dead + 1, before a thief looks there.  relaxed on
     * failure: another thief has passed it. */
    atomic_compare_exchange_strong_explicit(&q->base, &expected, dead + 1,
                                            TIDE_BWOS_ORDER(bwos, base_set_owner, release),
                                            TIDE_BWOS_RELAXED);
  }
}

/* The top block is full: grants it and enters the next. Returns false if the ring is full. */
TIDE_BWOS_INLINE bool tide_bwos_up_(struct tide_bwos_ *q, struct tide_bwos_owner_ *o,
                                    uint32_t words) {
  uint64_t next = o->top + 1;
  tide_bwos_cell_ *word = tide_bwos_shared_(&q->ring, next);
  /* acquire [bwos.claim]: thieves have read what they claimed before we overwrite it. */
  uint64_t old = atomic_load_explicit(word, TIDE_BWOS_ORDER(bwos, reclaim, acquire));
  if (tide_bwos_limit_(old) != 0) {
    if (tide_bwos_index_(old) != q->ring.entries && TIDE_BWOS_STEP(bwos, full)) return false;
    /* A thief that sees the new state of this block must not come to it by its old number. */
    if (TIDE_BWOS_STEP(bwos, base_past))
      tide_bwos_move_base_past_(q, next - q->ring.block_mask - 1);
    /* relaxed: the grant that follows publishes it [bwos.grant], and every thief that gets here by
     * way of base has seen that grant. So none takes the old "dead" for this number's. */
    if (TIDE_BWOS_STEP(bwos, private))
      atomic_store_explicit(word, tide_bwos_word_(tide_bwos_version_(old), 0, 0),
                            TIDE_BWOS_RELAXED);
  }
  tide_bwos_publish_(q, o, q->ring.entries, words);
  tide_bwos_enter_(q, o, next, 0, 0, words);
  return true;
}

/* Takes back what thieves have left of a block. Returns the word as it was. */
TIDE_BWOS_FUNCTION uint64_t tide_bwos_takeover_(tide_bwos_cell_ *word) {
  /* relaxed: only for the version, which this thread alone writes. */
  uint64_t old = atomic_load_explicit(word, TIDE_BWOS_RELAXED);
  /* acquire [bwos.claim]: as in tide_bwos_up_. */
  return atomic_exchange_explicit(word, tide_bwos_word_(tide_bwos_version_(old), 0, 0),
                                  TIDE_BWOS_ORDER(bwos, takeover, acquire));
}

/* No private items are left: takes back granted ones. Returns false if thieves have got them all.
 */
TIDE_BWOS_INLINE bool tide_bwos_down_(struct tide_bwos_ *q, struct tide_bwos_owner_ *o,
                                      uint32_t words) {
  if (o->limit != 0) {
    uint64_t old = tide_bwos_takeover_(tide_bwos_shared_(&q->ring, o->top));
    uint32_t first = tide_bwos_index_(old);
    uint32_t limit = tide_bwos_limit_(old);
    tide_bwos_enter_(q, o, o->top, first, limit, words);
    if (first < limit) return true;
  }
  /* The whole top block is ours and empty. */
  tide_bwos_enter_(q, o, o->top, 0, 0, words);
  tide_bwos_cell_ *word = tide_bwos_shared_(&q->ring, o->top - 1);
  /* relaxed: "dead" or "never used" ends the search and touches no slot. */
  uint64_t seen = atomic_load_explicit(word, TIDE_BWOS_RELAXED);
  if (tide_bwos_index_(seen) < tide_bwos_limit_(seen)) {
    uint64_t old = tide_bwos_takeover_(word);
    if (tide_bwos_index_(old) < q->ring.entries) {
      tide_bwos_enter_(q, o, o->top - 1, tide_bwos_index_(old), q->ring.entries, words);
      return true;
    }
    /* Thieves were faster.  release [bwos.grant]: a thief that learns "dead" from here must still
     * learn that the block above is private. */
    if (TIDE_BWOS_STEP(bwos, restore))
      atomic_store_explicit(word, old, TIDE_BWOS_ORDER(bwos, restore, release));
  }
  o->below = 0;
  return false;
}

TIDE_BWOS_INLINE bool tide_bwos_is_at_end_(struct tide_bwos_owner_ const *o) {
  return o->cursor == o->end;
}

TIDE_BWOS_INLINE void tide_bwos_store_(struct tide_bwos_owner_ *o, const void *item, size_t bytes) {
  o->cursor += tide_bwos_words_(bytes); /* first, so that the next put does not wait for the item */
  tide_bwos_write_(o->cursor - tide_bwos_words_(bytes), item, bytes);
}

TIDE_BWOS_INLINE bool tide_bwos_is_used_up_(struct tide_bwos_owner_ const *o) {
  return o->cursor == o->floor;
}

TIDE_BWOS_INLINE bool tide_bwos_may_have_more_(struct tide_bwos_owner_ const *o) {
  return o->below != 0;
}

TIDE_BWOS_INLINE void tide_bwos_load_(struct tide_bwos_owner_ *o, void *item, size_t bytes) {
  o->cursor -= tide_bwos_words_(bytes);
  tide_bwos_read_(o->cursor, item, bytes);
}

TIDE_BWOS_FUNCTION void tide_bwos_pass_dead_(struct tide_bwos_ *q, uint64_t number) {
  /* release [bwos.base]: what this thief knows of block number + 1, before others look there.
   * relaxed on failure: another thread has passed it. */
  atomic_compare_exchange_strong_explicit(&q->base, &number, number + 1,
                                          TIDE_BWOS_ORDER(bwos, base_set_thief, release),
                                          TIDE_BWOS_RELAXED);
}

TIDE_BWOS_INLINE int32_t tide_bwos_steal_(struct tide_bwos_ *q, void *out, uint32_t max,
                                          size_t bytes) {
  for (int look = 0; look < 2 && max != 0; look++) {
    /* acquire [bwos.base]: the word read next is this number's, or newer. */
    uint64_t number = atomic_load_explicit(&q->base, TIDE_BWOS_ORDER(bwos, base_get, acquire));
    /* acquire [bwos.grant]: the items, and the state of the block above. */
    uint64_t word = atomic_load_explicit(tide_bwos_shared_(&q->ring, number),
                                         TIDE_BWOS_ORDER(bwos, see, acquire));
    /* relaxed: if the word is a later number's, the acquire above makes base's change visible. */
    if (TIDE_BWOS_STEP(bwos, recheck) &&
        atomic_load_explicit(&q->base, TIDE_BWOS_RELAXED) != number)
      return TIDE_BWOS_AGAIN;
    uint32_t first = tide_bwos_index_(word);
    if (first < tide_bwos_limit_(word)) {
      int32_t taken = tide_bwos_claim_(&q->ring, number, word, out, max, bytes);
      /* At once, to spare the next thief a look. If this thief stopped here for ever, the next one
       * or the owner would do it. */
      if (taken > 0 && first + (uint32_t)taken == q->ring.entries &&
          TIDE_BWOS_STEP(bwos, pass_at_once))
        tide_bwos_pass_dead_(q, number);
      return taken;
    }
    if (first != q->ring.entries && TIDE_BWOS_STEP(bwos, dead)) return TIDE_BWOS_NOTHING;
    tide_bwos_pass_dead_(q, number);
  }
  return max == 0 ? TIDE_BWOS_NOTHING : TIDE_BWOS_AGAIN;
}

TIDE_BWOS_INLINE bool tide_bwos_has_(struct tide_bwos_ const *q, struct tide_bwos_owner_ const *o,
                                     uint32_t least, uint32_t words) {
  (void)q;
  return o->cursor - o->floor >= (ptrdiff_t)least * (ptrdiff_t)words;
}

/* Grants the older half of the private items: rounded up if `least` is 1, down if it is 2.
 *
 * The top block must not be granted whole: thieves would find it dead and move base past it. So an
 * item alone in the last slot is granted by going up. */
TIDE_BWOS_INLINE void tide_bwos_share_(struct tide_bwos_ *q, struct tide_bwos_owner_ *o,
                                       uint32_t least, uint32_t words) {
  uint32_t count = tide_bwos_between_(o->floor, o->cursor, words);
  if (least == 1 && count == 1 && o->cursor == o->end && TIDE_BWOS_STEP(bwos, last_slot)) {
    if (!tide_bwos_up_(q, o, words)) return;
  } else {
    uint32_t part = (count + 2 - least) / 2;
    tide_bwos_cell_ *begin = tide_bwos_slot_(&q->ring, o->top, 0, words);
    tide_bwos_publish_(q, o, tide_bwos_between_(begin, o->floor, words) + part, words);
    o->floor += part * words;
  }
  /* relaxed: a wish orders nothing. */
  atomic_store_explicit(&q->want, 0u, TIDE_BWOS_RELAXED);
}

TIDE_BWOS_INLINE uint64_t tide_bwos_size_(struct tide_bwos_ const *q) {
  /* relaxed, all: an estimate from one block's word and the two numbers. */
  uint64_t base = atomic_load_explicit(&q->base, TIDE_BWOS_RELAXED);
  uint64_t top = atomic_load_explicit(&q->top, TIDE_BWOS_RELAXED);
  uint64_t word = atomic_load_explicit(tide_bwos_shared_(&q->ring, base), TIDE_BWOS_RELAXED);
  uint64_t above = top > base + 1 ? (top - base - 1) * q->ring.entries : 0;
  return above + tide_bwos_limit_(word) - tide_bwos_index_(word);
}

TIDE_BWOS_INLINE uint64_t tide_bwos_owned_(struct tide_bwos_owner_ const *o, size_t bytes) {
  return (uint64_t)(o->cursor - o->floor) / tide_bwos_words_(bytes);
}

/* ---- First in, first out ----------------------------------------------------------------- */

/* The owner puts into block `last` and gets from block `first`. The blocks between them are
 * granted. Thieves take from any of these; each begins at another one, so as not to meet the
 * others.
 *
 * Source and differences as above. On a thief's wish the owner ends its put block before that is
 * full.
 *
 * Invariants:
 *
 * [bwos_fifo.visit] The owner visits every block in order and takes over what thieves left of it.
 * So nothing depends on thieves seeing fresh numbers: whatever granted range a thief finds, it may
 * claim.
 *
 * [bwos_fifo.slots] A slot is rewritten only after its block was taken over (acquire), one ring
 * later. A thief that read a rewritten slot fails its claim. */

#define TIDE_BWOS_FIFO_LOOKS 4u /* the most blocks that one steal looks at */
#define TIDE_BWOS_FIFO_SOME 4u  /* what a block with an unknown number of items counts for */

struct tide_bwos_fifo_ {
  TIDE_BWOS_ALIGNED struct tide_bwos_ring_ ring;

  /* The numbers of the get and the put block. The owner writes them at block borders, thieves read.
   */
  TIDE_BWOS_ALIGNED TIDE_BWOS_ATOMIC(uint64_t) first;
  TIDE_BWOS_ATOMIC(uint64_t) last;

  /* Where the next thief begins to look. Thieves only. */
  TIDE_BWOS_ALIGNED TIDE_BWOS_ATOMIC(uint64_t) turn;

  /* As in struct tide_bwos_. */
  TIDE_BWOS_ALIGNED TIDE_BWOS_ATOMIC(uint32_t) want;
};

/* The private items are [out, out_end) of block first, then those of block last up to `in`. If
 * these are one block, they are [out, in), and out_end is a place between the two. */
struct tide_bwos_fifo_owner_ {
  tide_bwos_cell_ *out;
  tide_bwos_cell_ *out_end;
  tide_bwos_cell_ *in;
  tide_bwos_cell_ *in_end;
  uint64_t first;
  uint64_t last;
};

TIDE_BWOS_INLINE void tide_bwos_fifo_make_(struct tide_bwos_fifo_ *q,
                                           struct tide_bwos_fifo_owner_ *o, void *storage,
                                           uint32_t blocks, uint32_t entries, size_t item) {
  tide_bwos_ring_make_(&q->ring, storage, blocks, entries, tide_bwos_words_(item));
  TIDE_BWOS_INIT(&q->first, (uint64_t)blocks);
  TIDE_BWOS_INIT(&q->last, (uint64_t)blocks);
  TIDE_BWOS_INIT(&q->turn, UINT64_C(0));
  TIDE_BWOS_INIT(&q->want, 0u);
  o->first = o->last = blocks;
  o->out = o->out_end = o->in = q->ring.slots;
  o->in_end = q->ring.slots + (size_t)entries * tide_bwos_words_(item);
}

/* Returns true if there is a block after the put block that is not the get block. */
TIDE_BWOS_FUNCTION bool tide_bwos_fifo_has_next_(struct tide_bwos_fifo_ const *q,
                                                 struct tide_bwos_fifo_owner_ const *o) {
  return o->last + 1 - o->first <= q->ring.block_mask || !TIDE_BWOS_STEP(bwos_fifo, full);
}

/* Grants [index, limit) of the put block and goes on in the next. */
TIDE_BWOS_FUNCTION void tide_bwos_fifo_close_(struct tide_bwos_fifo_ *q,
                                              struct tide_bwos_fifo_owner_ *o, uint32_t index,
                                              uint32_t limit, uint32_t words) {
  if (index < limit) {
    tide_bwos_cell_ *word = tide_bwos_shared_(&q->ring, o->last);
    /* relaxed: a private word was last written by this thread. */
    uint64_t old = atomic_load_explicit(word, TIDE_BWOS_RELAXED);
    /* release [bwos_fifo.grant]: the items, before a thief sees the range. */
    atomic_store_explicit(word, tide_bwos_word_(tide_bwos_version_(old) + 1, limit, index),
                          TIDE_BWOS_ORDER(bwos_fifo, grant, release));
  }
  o->last++;
  o->in = tide_bwos_slot_(&q->ring, o->last, 0, words);
  o->in_end = o->in + (size_t)q->ring.entries * words;
  /* relaxed: where thieves look; what they find there decides [bwos_fifo.visit]. */
  atomic_store_explicit(&q->last, o->last, TIDE_BWOS_RELAXED);
}

/* The put block is full: goes on in the next. Returns false if the ring is full. */
TIDE_BWOS_INLINE bool tide_bwos_fifo_up_(struct tide_bwos_fifo_ *q, struct tide_bwos_fifo_owner_ *o,
                                         uint32_t words) {
  if (!tide_bwos_fifo_has_next_(q, o)) return false;
  if (o->first == o->last) {
    /* The owner is getting from it: it stays private. */
    o->out_end = o->in_end;
    tide_bwos_fifo_close_(q, o, 0, 0, words);
  } else {
    tide_bwos_fifo_close_(q, o, 0, q->ring.entries, words);
  }
  return true;
}

TIDE_BWOS_INLINE bool tide_bwos_fifo_is_at_end_(struct tide_bwos_fifo_owner_ const *o) {
  return o->in == o->in_end;
}

TIDE_BWOS_INLINE void tide_bwos_fifo_store_(struct tide_bwos_fifo_owner_ *o, const void *item,
                                            size_t bytes) {
  tide_bwos_write_(o->in, item, bytes);
  o->in += tide_bwos_words_(bytes);
}

/* Takes over what thieves have left of block first. Returns false if that is nothing. */
TIDE_BWOS_FUNCTION bool tide_bwos_fifo_takeover_(struct tide_bwos_fifo_ *q,
                                                 struct tide_bwos_fifo_owner_ *o, uint32_t words) {
  tide_bwos_cell_ *word = tide_bwos_shared_(&q->ring, o->first);
  /* relaxed: version and limit, which this thread alone writes. */
  uint64_t old = atomic_load_explicit(word, TIDE_BWOS_RELAXED);
  if (tide_bwos_limit_(old) == 0) return false;
  if (TIDE_BWOS_STEP(bwos_fifo, takeover)) {
    /* acquire [bwos.claim]: thieves have read what they claimed before we overwrite it. */
    old = atomic_exchange_explicit(word, tide_bwos_word_(tide_bwos_version_(old), 0, 0),
                                   TIDE_BWOS_ORDER(bwos_fifo, takeover, acquire));
  }
  o->out = tide_bwos_slot_(&q->ring, o->first, tide_bwos_index_(old), words);
  o->out_end = tide_bwos_slot_(&q->ring, o->first, tide_bwos_limit_(old), words);
  return o->out != o->out_end;
}

/* The private part of the get block is used up: finds more. Returns false if the queue is empty. */
TIDE_BWOS_INLINE bool tide_bwos_fifo_down_(struct tide_bwos_fifo_ *q,
                                           struct tide_bwos_fifo_owner_ *o, uint32_t words) {
  while (o->first != o->last) {
    if (tide_bwos_fifo_takeover_(q, o, words)) return true;
    o->first++;
    /* relaxed: as in tide_bwos_fifo_close_. */
    atomic_store_explicit(&q->first, o->first, TIDE_BWOS_RELAXED);
    o->out = o->out_end = tide_bwos_slot_(&q->ring, o->first, 0, words);
  }
  o->out_end = o->in;
  if (o->out != o->out_end) return true;
  /* The queue is empty: the block starts afresh. */
  o->out = o->out_end = o->in = tide_bwos_slot_(&q->ring, o->last, 0, words);
  return false;
}

TIDE_BWOS_INLINE bool tide_bwos_fifo_is_used_up_(struct tide_bwos_fifo_owner_ const *o) {
  return o->out == o->out_end;
}

TIDE_BWOS_INLINE bool tide_bwos_fifo_may_have_more_(struct tide_bwos_fifo_owner_ const *o) {
  (void)o;
  return true;
}

TIDE_BWOS_INLINE void tide_bwos_fifo_load_(struct tide_bwos_fifo_owner_ *o, void *item,
                                           size_t bytes) {
  tide_bwos_read_(o->out, item, bytes);
  o->out += tide_bwos_words_(bytes);
}

TIDE_BWOS_INLINE int32_t tide_bwos_fifo_steal_(struct tide_bwos_fifo_ *q, void *out, uint32_t max,
                                               size_t bytes) {
  /* relaxed, both: any number will do, even the same one for two thieves. */
  uint64_t turn = atomic_load_explicit(&q->turn, TIDE_BWOS_RELAXED);
  atomic_store_explicit(&q->turn, turn + TIDE_BWOS_FIFO_LOOKS, TIDE_BWOS_RELAXED);
  /* relaxed, both: [bwos_fifo.visit]. */
  uint64_t first = atomic_load_explicit(&q->first, TIDE_BWOS_RELAXED);
  uint64_t last = atomic_load_explicit(&q->last, TIDE_BWOS_RELAXED);
  if (max == 0 || first >= last) return TIDE_BWOS_NOTHING;
  uint64_t count = last - first;
  for (uint64_t look = 0; look < count && look < TIDE_BWOS_FIFO_LOOKS; look++) {
    uint64_t number = first + (turn + look) % count;
    /* acquire [bwos_fifo.grant]: the items. */
    uint64_t word = atomic_load_explicit(tide_bwos_shared_(&q->ring, number),
                                         TIDE_BWOS_ORDER(bwos_fifo, see, acquire));
    if (tide_bwos_index_(word) < tide_bwos_limit_(word))
      return tide_bwos_claim_(&q->ring, number, word, out, max, bytes);
  }
  return TIDE_BWOS_NOTHING;
}

/* Ends the put block early. If it is the get block too, the owner keeps the older half, which it is
 * about to get, and thieves may have the rest. */
TIDE_BWOS_INLINE void tide_bwos_fifo_share_(struct tide_bwos_fifo_ *q,
                                            struct tide_bwos_fifo_owner_ *o, uint32_t least,
                                            uint32_t words) {
  (void)least;
  tide_bwos_cell_ *begin = tide_bwos_slot_(&q->ring, o->last, 0, words);
  uint32_t limit = tide_bwos_between_(begin, o->in, words);
  uint32_t index = 0;
  if (o->first == o->last) {
    o->out_end = o->out + (size_t)(tide_bwos_between_(o->out, o->in, words) / 2) * words;
    index = tide_bwos_between_(begin, o->out_end, words);
  }
  tide_bwos_fifo_close_(q, o, index, limit, words);
  /* relaxed: a wish orders nothing. */
  atomic_store_explicit(&q->want, 0u, TIDE_BWOS_RELAXED);
}

TIDE_BWOS_INLINE bool tide_bwos_fifo_has_(struct tide_bwos_fifo_ const *q,
                                          struct tide_bwos_fifo_owner_ const *o, uint32_t least,
                                          uint32_t words) {
  tide_bwos_cell_ *begin =
      o->first == o->last ? o->out : o->in_end - (size_t)q->ring.entries * words;
  return o->in - begin >= (ptrdiff_t)least * (ptrdiff_t)words && tide_bwos_fifo_has_next_(q, o);
}

TIDE_BWOS_INLINE uint64_t tide_bwos_fifo_size_(struct tide_bwos_fifo_ const *q) {
  /* relaxed, all: an estimate, as in tide_bwos_size_. */
  uint64_t first = atomic_load_explicit(&q->first, TIDE_BWOS_RELAXED);
  uint64_t last = atomic_load_explicit(&q->last, TIDE_BWOS_RELAXED);
  uint64_t word = atomic_load_explicit(tide_bwos_shared_(&q->ring, first), TIDE_BWOS_RELAXED);
  uint64_t between = last > first + 1 ? (last - first - 1) * q->ring.entries : 0;
  return between + tide_bwos_limit_(word) - tide_bwos_index_(word);
}

/* A count of blocks: how many items they hold is not known without a look at their words. */
TIDE_BWOS_INLINE uint64_t tide_bwos_fifo_owned_(struct tide_bwos_fifo_owner_ const *o,
                                                size_t bytes) {
  (void)bytes;
  return o->last - o->first + (o->in != o->out ? TIDE_BWOS_FIFO_SOME : 0);
}

/* ---- Typed queues ------------------------------------------------------------------------ */

/* The structures and the expert form; form is tide_bwos or tide_bwos_fifo. */
#define TIDE_BWOS_BASE_(form, name, type)                                                          \
  TIDE_BWOS_REQUIRE(type);                                                                         \
  struct name {                                                                                    \
    struct form##_ queue;                                                                          \
  };                                                                                               \
  struct name##_owner {                                                                            \
    struct form##_owner_ owner;                                                                    \
  };                                                                                               \
  TIDE_BWOS_FUNCTION size_t name##_storage_bytes(uint32_t blocks, uint32_t entries) {              \
    return tide_bwos_storage_bytes_(blocks, entries, sizeof(type));                                \
  }                                                                                                \
  TIDE_BWOS_FUNCTION const char *name##_make(struct name *q, struct name##_owner *o,               \
                                             void *storage, size_t bytes, uint32_t blocks,         \
                                             uint32_t entries) {                                   \
    const char *wrong =                                                                            \
        tide_bwos_refuse_(q, o, storage, bytes, name##_storage_bytes(blocks, entries));            \
    if (wrong) return wrong;                                                                       \
    form##_make_(&q->queue, &o->owner, storage, blocks, entries, sizeof(type));                    \
    return NULL;                                                                                   \
  }                                                                                                \
  TIDE_BWOS_SLOW bool name##_up_(struct name *q, struct name##_owner *o) {                         \
    return form##_up_(&q->queue, &o->owner, tide_bwos_words_(sizeof(type)));                       \
  }                                                                                                \
  TIDE_BWOS_SLOW bool name##_down_(struct name *q, struct name##_owner *o) {                       \
    return form##_down_(&q->queue, &o->owner, tide_bwos_words_(sizeof(type)));                     \
  }                                                                                                \
  TIDE_BWOS_SLOW void name##_share_(struct name *q, struct name##_owner *o, uint32_t least) {      \
    form##_share_(&q->queue, &o->owner, least, tide_bwos_words_(sizeof(type)));                    \
  }                                                                                                \
  TIDE_BWOS_INLINE bool name##_put_only(struct name *q, struct name##_owner *o, type item) {       \
    if (TIDE_BWOS_RARELY(form##_is_at_end_(&o->owner))) {                                          \
      bool entered;                                                                                \
      TIDE_BWOS_ON_COPY(struct name##_owner, o, copy, entered = name##_up_(q, copy));              \
      if (!entered) return false;                                                                  \
    }                                                                                              \
    form##_store_(&o->owner, &item, sizeof(type));                                                 \
    return true;                                                                                   \
  }                                                                                                \
  TIDE_BWOS_INLINE bool name##_get_only(struct name *q, struct name##_owner *o, type *out) {       \
    if (TIDE_BWOS_RARELY(form##_is_used_up_(&o->owner))) {                                         \
      if (!form##_may_have_more_(&o->owner)) return false;                                         \
      bool found;                                                                                  \
      TIDE_BWOS_ON_COPY(struct name##_owner, o, copy, found = name##_down_(q, copy));              \
      if (!found) return false;                                                                    \
    }                                                                                              \
    form##_load_(&o->owner, out, sizeof(type));                                                    \
    return true;                                                                                   \
  }                                                                                                \
  TIDE_BWOS_INLINE tide_bwos_taken name##_steal_only(struct name *q, type *out, uint32_t max) {    \
    return form##_steal_(&q->queue, out, max, sizeof(type));                                       \
  }                                                                                                \
  TIDE_BWOS_INLINE void name##_want(struct name *q) {                                              \
    tide_bwos_wish_(&q->queue.want);                                                               \
  }                                                                                                \
  TIDE_BWOS_INLINE bool name##_wanted(const struct name *q) {                                      \
    return tide_bwos_is_wished_(&q->queue.want);                                                   \
  }                                                                                                \
  TIDE_BWOS_INLINE void name##_grant_(struct name *q, struct name##_owner *o, uint32_t least) {    \
    if (!form##_has_(&q->queue, &o->owner, least, tide_bwos_words_(sizeof(type)))) return;         \
    TIDE_BWOS_ON_COPY(struct name##_owner, o, copy, name##_share_(q, copy, least));                \
  }                                                                                                \
  TIDE_BWOS_INLINE void name##_grant(struct name *q, struct name##_owner *o) {                     \
    name##_grant_(q, o, 2);                                                                        \
  }                                                                                                \
  TIDE_BWOS_INLINE uint64_t name##_size(const struct name *q) {                                    \
    return form##_size_(&q->queue);                                                                \
  }                                                                                                \
  TIDE_BWOS_INLINE uint64_t name##_owned(const struct name##_owner *o) {                           \
    return form##_owned_(&o->owner, sizeof(type));                                                 \
  }

/* What shares by itself. */
#define TIDE_BWOS_DEFINE_(form, name, type)                                                        \
  TIDE_BWOS_BASE_(form, name, type)                                                                \
  TIDE_BWOS_FUNCTION void name##_poll(struct name *q, struct name##_owner *o) {                    \
    if (TIDE_BWOS_RARELY(name##_wanted(q))) name##_grant_(q, o, 1);                                \
  }                                                                                                \
  TIDE_BWOS_FUNCTION bool name##_put(struct name *q, struct name##_owner *o, type item) {          \
    bool stored = name##_put_only(q, o, item);                                                     \
    name##_poll(q, o);                                                                             \
    return stored;                                                                                 \
  }                                                                                                \
  TIDE_BWOS_FUNCTION bool name##_get(struct name *q, struct name##_owner *o, type *out) {          \
    bool found = name##_get_only(q, o, out);                                                       \
    name##_poll(q, o);                                                                             \
    return found;                                                                                  \
  }                                                                                                \
  TIDE_BWOS_FUNCTION tide_bwos_taken name##_steal(struct name *q, type *out, uint32_t max) {       \
    tide_bwos_taken taken = name##_steal_only(q, out, max);                                        \
    if (taken == TIDE_BWOS_NOTHING && max != 0) name##_want(q);                                    \
    return taken;                                                                                  \
  }                                                                                                \
  struct name /* takes the semicolon */

/* What does not: put, get and steal of the expert form. */
#define TIDE_BWOS_EXPERT_DEFINE_(form, name, type, none)                                           \
  TIDE_BWOS_BASE_(form, name, type)                                                                \
  TIDE_BWOS_FUNCTION bool name##_put(struct name *q, struct name##_owner *o, type item) {          \
    return name##_put_only(q, o, item);                                                            \
  }                                                                                                \
  TIDE_BWOS_FUNCTION type name##_get(struct name *q, struct name##_owner *o) {                     \
    if (TIDE_BWOS_RARELY(form##_is_used_up_(&o->owner))) {                                         \
      if (!form##_may_have_more_(&o->owner)) return (none);                                        \
      bool found;                                                                                  \
      TIDE_BWOS_ON_COPY(struct name##_owner, o, copy, found = name##_down_(q, copy));              \
      if (!found) return (none);                                                                   \
    }                                                                                              \
    type item;                                                                                     \
    form##_load_(&o->owner, &item, sizeof(type));                                                  \
    TIDE_BWOS_ASSUME(item != (none));                                                              \
    return item;                                                                                   \
  }                                                                                                \
  TIDE_BWOS_FUNCTION tide_bwos_taken name##_steal(struct name *q, type *out, uint32_t max) {       \
    return name##_steal_only(q, out, max);                                                         \
  }                                                                                                \
  struct name /* takes the semicolon */

#define TIDE_BWOS_EXPERT_DEFINE(name, type, none)                                                  \
  TIDE_BWOS_EXPERT_DEFINE_(tide_bwos, name, type, none)
#define TIDE_BWOS_FIFO_EXPERT_DEFINE(name, type, none)                                             \
  TIDE_BWOS_EXPERT_DEFINE_(tide_bwos_fifo, name, type, none)
#define TIDE_BWOS_DEFINE(name, type) TIDE_BWOS_DEFINE_(tide_bwos, name, type)
#define TIDE_BWOS_FIFO_DEFINE(name, type) TIDE_BWOS_DEFINE_(tide_bwos_fifo, name, type)

#endif
