/* SPDX-License-Identifier: MIT */
/* A mutator's cache of free cells of small objects: a run for each layout and size class, and the
 * cells that its program has freed. No other takes from it. */
#ifndef TD_HEAP_CELLS_CACHE_H
#define TD_HEAP_CELLS_CACHE_H

#include "heap/cells/run.h"

#define TD_CACHE_RUNS ((size_t)TIDE_LAYOUT_MAX * TIDE_BUMP_SLOTS)
#define TD_CACHE_RUNS_BYTES (TD_CACHE_RUNS * sizeof(struct tide_bump))

struct td_cache {
  /* [layout * TIDE_BUMP_SLOTS + class]: of each layout there can be, so that inlined code needs no
   * test. Those of the first `layouts` can be written, the others are empty. NULL: the cache is
   * closed. */
  struct tide_bump *runs;
  uintptr_t *freed;   /* the same, of the first `layouts`: lists of freed cells */
  uint32_t *filled;   /* numbers of the runs that may hold some */
  uint32_t *freed_at; /* numbers of the lists that were used */
  uint32_t layouts;
  uint32_t filled_count, freed_count;
  uint64_t handed_out; /* bytes since they were last counted */
};

/* Begins with a cache in which all is empty. Returns false if there is no memory. */
bool td_cache_open(struct td_cache *cache);
void td_cache_close(struct td_cache *cache);

/* A cache that reaches no further is kept for another mutator. */
#define TD_CACHE_LAYOUTS_FIRST 16u
bool td_cache_reach_slow(struct td_cache *cache, tide_layout layout);
/* Makes room for what concerns a layout. Returns false if there is no memory. */
static inline bool td_cache_reach(struct td_cache *cache, tide_layout layout) {
  return TIDE_LIKELY(layout < cache->layouts) || td_cache_reach_slow(cache, layout);
}

static inline uint32_t td_cache_index(tide_layout layout, unsigned size_class) {
  return (uint32_t)layout * TIDE_BUMP_SLOTS + size_class;
}

/* ---- Taking ---- */

/* For td_cache_take, where the run's block is used up. */
void *td_cache_take_elsewhere(struct td_space *space, struct td_cache *cache, uint32_t index,
                              size_t cell, enum td_room *room);

/* The one way to a free cell, of at least `bytes` in [1, TD_SMALL_BYTES_MAX]: from the run, from
 * where its block goes on, from what was freed, and, if `room` is not NULL, from another block.
 * The cell is zeroed unless the layout does without. Returns NULL if there is none; then *room says
 * why, and why the attempt before failed if it was not TD_ROOM before. */
static inline void *td_cache_take(struct td_space *space, struct td_cache *cache,
                                  tide_layout layout, size_t bytes, enum td_room *room) {
  const unsigned size_class = td_class_of(bytes);
  const size_t cell = td_class_bytes(size_class);
  const uint32_t index = td_cache_index(layout, size_class);
  struct tide_bump *run = &cache->runs[index];
  if (run->limit - run->next < cell) {
    size_t got = td_space_advance(space, run);
    if (got == 0) return td_cache_take_elsewhere(space, cache, index, cell, room);
    cache->handed_out += got;
  }
  void *object = (void *)run->next;
  run->next += cell;
  return object;
}

/* ---- Freeing ---- */

/* Keeps a cell that the program has freed, unless there is no memory to. It counts as allocated
 * until it is taken again, or until the next collection, which forgets it. Its first word is a link
 * then, its last tells that it was freed. */
void td_cache_put(struct td_cache *cache, uint32_t index, uintptr_t cell);
/* What the last word says. */
static inline uintptr_t td_cache_seal(uintptr_t cell) {
  return cell ^ (uintptr_t)0x5eed0ff5ce11f4eeu;
}
/* In the last word: programs that look once more at what they have freed, such as a thread at its
 * own description, find the rest as it was. */
static inline uintptr_t *td_cache_seal_at(uintptr_t cell, size_t bytes) {
  return (uintptr_t *)(cell + bytes - sizeof(uintptr_t));
}
static inline bool td_cache_is_freed(uintptr_t cell, size_t bytes) {
  return *td_cache_seal_at(cell, bytes) == td_cache_seal(cell);
}

/* ---- Over a stop ---- */

/* Gives the unused rests of all runs back and forgets what was freed. The world is stopped; if it
 * is not, the owner calls, and the cells that were freed are garbage until the next collection.
 * `holds`: runs that inlined code may be about to take from are held, see td_space_hold. */
void td_cache_retire(struct td_space *space, struct td_cache *cache, bool stopped, bool holds);
/* Before that: blocks of the runs count as touched. */
void td_cache_touch(struct td_space *space, const struct td_cache *cache);
/* Before the owner goes on: gives it back what was held. */
void td_cache_hand_back(struct td_space *space, struct td_cache *cache);

#endif
