/* SPDX-License-Identifier: MIT */
/* A region is a part of the heap whose mark bytes fit a core's second-level cache. References that
 * lead into it wait in chunks until some marker visits it. One word says what each may do:
 *
 *   bit 63       a marker owns the region
 *   bits 32-62   how many chunks wait
 *   bits 0-31    the newest of them, 0 if there is none; each knows the next
 *
 * Any active marker pushes a chunk. The marker that set the owner's bit takes all chunks at once,
 * tests and sets the marks of the region, and clears the bit when it leaves.
 *
 * [region.list] What a marker wrote into a chunk is seen by the owner that takes it. Every change
 * of the word is a read-modify-write, so a later push continues the release of the earlier ones.
 * [region.own] What an owner wrote into the marks is seen by the next owner.
 *
 * No chunk is forgotten. The marker that brings the word into the state "chunks, no owner" is
 * active: it pushed, or it left. An active marker looks at all regions before it leaves the phase.
 * It then finds that state, or another marker has claimed the region since and is active in turn.
 * The marker that pushes while there is an owner may rely on the owner: that one finds the chunk
 * when it takes, or brings the word into that state when it leaves. Both see the same word, so no
 * fence is needed. Models: tests/model/region.cpp, tests/model/regions.c. */
#ifndef TD_MARKER_REGION_REGION_H
#define TD_MARKER_REGION_REGION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* References of a chunk, so that it has half a KiB. */
#ifndef TD_CHUNK_REFERENCES
#define TD_CHUNK_REFERENCES 252u
#endif
/* A model watches these for data races. */
#ifndef TD_CHUNK_WORD
#define TD_CHUNK_WORD uint32_t
#define TD_CHUNK_HALF uint16_t
#else
#define TD_CHUNK_HALF TD_CHUNK_WORD
#endif

/* All references of a chunk lead into one MiB, so that half a word each is enough. A region larger
 * than that has parts, and each part has chunks of its own. */
#define TD_CHUNK_SHIFT 16u /* log2 of the granules of a part */

struct td_chunk {
  TD_CHUNK_WORD next; /* number of another chunk, 0 at the end */
  TD_CHUNK_HALF count;
  TD_CHUNK_HALF part;                    /* of its region */
  TD_CHUNK_HALF at[TD_CHUNK_REFERENCES]; /* the lowest bits of granules */
};

struct td_region {
  _Atomic(uint64_t) word; /* every marker writes it */
  /* 1: an owner has deferred objects of this region. Only a hint where to look: who is to scan them
   * is said by the flags of their pages. Owners write it. */
  _Atomic(uint32_t) deferred;
};

#define TD_REGION_OWNED ((uint64_t)1 << 63)
#define TD_REGION_CHUNK ((uint64_t)1 << 32)

/* Orders by name, so that a model can weaken each. */
#ifndef TD_REGION_ORDER_PUSH
#define TD_REGION_ORDER_PUSH memory_order_release
#define TD_REGION_ORDER_TAKE memory_order_acquire
#define TD_REGION_ORDER_CLAIM memory_order_acquire
#define TD_REGION_ORDER_LEAVE memory_order_release
#endif

static inline uint64_t td_region_look(const struct td_region *region) {
  /* relaxed: a hint, which a claim confirms or not. */
  return atomic_load_explicit(&region->word, memory_order_relaxed);
}

/* Returns how many chunks wait, by a word that was looked at. */
static inline uint32_t td_region_waiting(uint64_t word) {
  return (uint32_t)(word >> 32) & 0x7fffffffu;
}

static inline bool td_region_has_deferred(const struct td_region *region) {
  return atomic_load_explicit(&region->deferred, memory_order_relaxed) != 0; /* relaxed: a hint */
}

static inline void td_region_set_deferred(struct td_region *region, bool deferred) {
  atomic_store_explicit(&region->deferred, deferred, memory_order_relaxed); /* relaxed: as above */
}

static inline bool td_region_is_owned(uint64_t word) {
  return word >> 63;
}

/* Adds a chunk, which the caller has filled. `chunk` is chunk number `number`. */
static inline void td_region_push(struct td_region *region, struct td_chunk *chunk,
                                  uint32_t number) {
  uint64_t seen = td_region_look(region);
  do
    chunk->next = (uint32_t)seen;
  /* release [region.list] */
  while (!atomic_compare_exchange_weak_explicit(&region->word, &seen,
                                                ((seen >> 32) << 32) + TD_REGION_CHUNK + number,
                                                TD_REGION_ORDER_PUSH, memory_order_relaxed));
}

/* Makes the caller the owner. Returns false if there is one. */
static inline bool td_region_claim(struct td_region *region) {
  uint64_t seen = td_region_look(region);
  while (!td_region_is_owned(seen)) {
    /* acquire [region.own]: the marks. */
    if (atomic_compare_exchange_weak_explicit(&region->word, &seen, seen | TD_REGION_OWNED,
                                              TD_REGION_ORDER_CLAIM, memory_order_relaxed))
      return true;
  }
  return false;
}

/* The owner takes all chunks. Returns the number of the newest, 0 if there is none. */
static inline uint32_t td_region_take(struct td_region *region) {
  /* relaxed: if there is nothing to take, nothing has to be seen. */
  if (atomic_load_explicit(&region->word, memory_order_relaxed) == TD_REGION_OWNED) return 0;
  /* acquire [region.list] */
  return (uint32_t)atomic_exchange_explicit(&region->word, TD_REGION_OWNED, TD_REGION_ORDER_TAKE);
}

/* The owner takes the newest chunk. Returns its number, 0 if there is none. No other marker takes
 * chunks meanwhile, so the chunk after it is still the one that it knows. */
static inline uint32_t td_region_pop(struct td_region *region, const struct td_chunk *chunks) {
  /* acquire, both times [region.list] */
  uint64_t seen = atomic_load_explicit(&region->word, TD_REGION_ORDER_TAKE);
  while (td_region_waiting(seen) > 0) {
    uint32_t newest = (uint32_t)seen;
    uint64_t rest = ((seen >> 32) << 32) - TD_REGION_CHUNK + chunks[newest].next;
    if (atomic_compare_exchange_weak_explicit(&region->word, &seen, rest, TD_REGION_ORDER_TAKE,
                                              TD_REGION_ORDER_TAKE))
      return newest;
  }
  return 0;
}

/* The owner leaves. Chunks that came since it took the last ones stay. */
static inline void td_region_leave(struct td_region *region) {
  /* release [region.own]: the marks. */
  atomic_fetch_and_explicit(&region->word, ~TD_REGION_OWNED, TD_REGION_ORDER_LEAVE);
}

#endif
