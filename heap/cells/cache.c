/* SPDX-License-Identifier: MIT */
#include "heap/cells/cache.h"

#include <string.h>

#include "heap/cells/refill.h"
#include "heap/cells/sort.h"
#include "heap/space/marks.h"
#include "heap/young/log.h"
#include "heap/young/young.h"

/* ---- How far the cache reaches ---- */

/* `freed`, then `filled` and `freed_at`. */
static size_t lists_bytes(uint32_t layouts) {
  return (size_t)layouts * TIDE_BUMP_SLOTS * (sizeof(uintptr_t) + 2 * sizeof(uint32_t));
}

static void place_lists(struct td_cache *cache, void *lists, uint32_t layouts) {
  cache->layouts = layouts;
  cache->freed = lists;
  cache->filled = (uint32_t *)(cache->freed + (size_t)layouts * TIDE_BUMP_SLOTS);
  cache->freed_at = cache->filled + (size_t)layouts * TIDE_BUMP_SLOTS;
}

/* The first lists lie in front of the runs, so that a small heap maps a cache at once. */
#define FIRST_LISTS_BYTES lists_bytes(TD_CACHE_LAYOUTS_FIRST)

static void free_lists(const struct td_cache *cache) {
  if (cache->layouts > TD_CACHE_LAYOUTS_FIRST)
    td_plat_unmap(cache->freed, lists_bytes(cache->layouts));
}

bool td_cache_reach_slow(struct td_cache *cache, tide_layout layout) {
  uint32_t layouts = cache->layouts;
  while (layouts <= layout)
    layouts *= 2;
  void *lists = td_plat_map(lists_bytes(layouts));
  if (!lists) return false;
  if (!td_plat_commit(cache->runs, layouts * TIDE_BUMP_SLOTS * sizeof *cache->runs)) {
    td_plat_unmap(lists, lists_bytes(layouts));
    return false;
  }
  const struct td_cache before = *cache;
  place_lists(cache, lists, layouts);
  memcpy(cache->freed, before.freed,
         (size_t)before.layouts * TIDE_BUMP_SLOTS * sizeof *cache->freed);
  memcpy(cache->filled, before.filled, before.filled_count * sizeof *cache->filled);
  memcpy(cache->freed_at, before.freed_at, before.freed_count * sizeof *cache->freed_at);
  free_lists(&before);
  return true;
}

bool td_cache_open(struct td_cache *cache) {
  const size_t bytes = FIRST_LISTS_BYTES + TD_CACHE_RUNS_BYTES;
  const size_t runs = TD_CACHE_LAYOUTS_FIRST * TIDE_BUMP_SLOTS * sizeof *cache->runs;
  char *at = td_plat_reserve(bytes, 0);
  *cache = (struct td_cache){0};
  if (!at) return false;
  if (!td_plat_commit_zeroes(at, bytes) || !td_plat_commit(at, FIRST_LISTS_BYTES + runs)) {
    td_plat_release(at, bytes);
    return false;
  }
  cache->runs = (struct tide_bump *)(void *)(at + FIRST_LISTS_BYTES);
  place_lists(cache, at, TD_CACHE_LAYOUTS_FIRST);
  return true;
}

void td_cache_close(struct td_cache *cache) {
  free_lists(cache);
  td_plat_release((char *)cache->runs - FIRST_LISTS_BYTES, FIRST_LISTS_BYTES + TD_CACHE_RUNS_BYTES);
  *cache = (struct td_cache){0};
}

/* ---- Freed cells ---- */

/* A list's head has this bit once its number stands in freed_at. */
#define LISTED ((uintptr_t)1)

static uintptr_t *words_of(uintptr_t cell) {
  return (uintptr_t *)cell;
}

static size_t bytes_of(uint32_t index) {
  return td_class_bytes(index % TIDE_BUMP_SLOTS);
}

void td_cache_put(struct td_cache *cache, uint32_t index, uintptr_t cell) {
  if (!td_cache_reach(cache, (tide_layout)(index / TIDE_BUMP_SLOTS))) return;
  uintptr_t *head = &cache->freed[index];
  if (*head == 0) cache->freed_at[cache->freed_count++] = index;
  words_of(cell)[0] = *head & ~LISTED;
  *td_cache_seal_at(cell, bytes_of(index)) = td_cache_seal(cell);
  *head = cell | LISTED;
}

/* Zeroes the first `bytes` bytes of a freed cell. The link and the seal go in any case. */
static void *wipe(const struct td_space *space, uint32_t index, uintptr_t cell, size_t bytes) {
  *td_cache_seal_at(cell, bytes_of(index)) = 0;
  if (space->layouts.at[index / TIDE_BUMP_SLOTS].unzeroed) bytes = sizeof(uintptr_t);
  return memset((void *)cell, 0, bytes);
}

/* Returns a freed cell, which has `bytes` bytes, or NULL. */
static void *take_freed(struct td_space *space, struct td_cache *cache, uint32_t index,
                        size_t bytes) {
  uintptr_t cell = cache->freed[index] & ~LISTED;
  if (!cell) return NULL;
  cache->freed[index] = words_of(cell)[0] | LISTED;
  cache->handed_out += bytes;
  if (td_young_are_born(space)) td_log_fresh_if_old(space, cell);
  return wipe(space, index, cell, bytes);
}

/* A young collection then finds the cell free, if its block is old. */
static void clear_mark(struct td_space *space, uintptr_t cell) {
  uint64_t granule = td_granule_of(space->base, cell);
  td_mark_store(&space->marks[granule], 0);
  td_young_touch(space, td_block_of_granule(granule), 0);
}

/* Forgets the lists. A mutator that gets one of the cells unzeroed shall find no seal in it, and
 * one that is told of its death no link. If the world is stopped, the cells are no objects from now
 * on. Else what still points at a cell keeps it, but nothing of what it referred to. */
static void forget_freed(struct td_space *space, struct td_cache *cache, bool stopped) {
  for (uint32_t i = 0; i < cache->freed_count; i++) {
    const uint32_t index = cache->freed_at[i];
    uintptr_t *head = &cache->freed[index];
    for (uintptr_t cell = *head & ~LISTED, next; cell; cell = next) {
      next = words_of(cell)[0];
      wipe(space, index, cell, stopped ? sizeof(uintptr_t) : bytes_of(index));
      if (stopped) clear_mark(space, cell);
    }
    *head = 0;
  }
  cache->freed_count = 0;
}

/* ---- Other blocks ---- */

static __attribute__((noinline)) void *take_from_block(struct td_space *space,
                                                       struct td_cache *cache, uint32_t index,
                                                       size_t cell, enum td_room *room) {
  struct tide_bump *run = &cache->runs[index];
  const tide_layout layout = (tide_layout)(index / TIDE_BUMP_SLOTS);
  const bool listed = run->limit != 0;
  size_t got = td_space_refill(space, run, layout, cell, room);
  if (!listed && run->limit) cache->filled[cache->filled_count++] = index;
  if (!got) return NULL;
  cache->handed_out += got;
  void *object = (void *)run->next;
  run->next += cell;
  return object;
}

/* Freed cells come before a new block. But as long as there are blocks they do not come before the
 * first run since a collection: where a program frees what it has just allocated, that cell would
 * go to and fro, and each time the long way. From a run it goes back to the run. */
void *td_cache_take_elsewhere(struct td_space *space, struct td_cache *cache, uint32_t index,
                              size_t cell, enum td_room *room) {
  if (!td_cache_reach(cache, (tide_layout)(index / TIDE_BUMP_SLOTS))) {
    if (room) *room = TD_ROOM_NO_MEMORY;
    return NULL;
  }
  const bool again = room && *room != TD_ROOM;
  if (cache->freed_count && (cache->runs[index].limit != 0 || again)) {
    void *freed = take_freed(space, cache, index, cell);
    if (freed) return freed;
  }
  return room ? take_from_block(space, cache, index, cell, room) : NULL;
}

/* ---- Over a stop ---- */

/* Inlined code takes cells from runs of these classes only. */
static bool is_inlined(uint32_t index) {
  return index % TIDE_BUMP_SLOTS * TD_GRANULE_BYTES <= TIDE_BUMP_INLINE_BYTES;
}

/* Of a run that was held, others may sweep the block just now: its cells are garbage until the next
 * collection. */
static void retire(struct td_space *space, struct tide_bump *run, bool stopped) {
  const uintptr_t limit = run->limit, next = run->next;
  if (!stopped && limit & TD_RUN_HELD) {
    *run = (struct tide_bump){0};
    return;
  }
  td_space_retire(space, run);
  if (stopped || !limit) return;
  const uint32_t block = td_block_of(space, limit - 1);
  td_sort_leave(space, block, (uint16_t)((next - td_block_start(space, block)) >> TD_GRANULE_LOG2));
}

void td_cache_touch(struct td_space *space, const struct td_cache *cache) {
  for (uint32_t i = 0; i < cache->filled_count; i++) {
    uintptr_t limit = cache->runs[cache->filled[i]].limit & ~(uintptr_t)TD_RUN_HELD;
    if (limit) td_young_touch(space, td_block_of(space, limit - 1), 0);
  }
}

void td_cache_retire(struct td_space *space, struct td_cache *cache, bool stopped, bool holds) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < cache->filled_count; i++) {
    struct tide_bump *run = &cache->runs[cache->filled[i]];
    if (holds && is_inlined(cache->filled[i]))
      td_space_hold(space, run);
    else
      retire(space, run, stopped);
    if (run->limit) cache->filled[kept++] = cache->filled[i];
  }
  cache->filled_count = kept;
  forget_freed(space, cache, stopped);
}

void td_cache_hand_back(struct td_space *space, struct td_cache *cache) {
  for (uint32_t i = 0; i < cache->filled_count; i++)
    td_space_hand_back(space, &cache->runs[cache->filled[i]]);
}
