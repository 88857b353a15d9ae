/* SPDX-License-Identifier: MIT */
/* The pool of blocks, over slabs from the system. Slabs are committed when a block of theirs is
 * first taken. Every free block below the frontier has its bit set, whether its slab is committed,
 * was given back, or was never used. */
#include "heap/memory/blocks.h"

#include "heap/memory/ahead.h"
#include "heap/memory/backing.h"
#include "heap/space/counted.h"
#include "heap/space/find.h"
#include "heap/space/marks.h"
#include "heap/space/tables.h"
#include "heap/withheld/avoid.h"

static void set_free(struct td_space *space, uint32_t block, bool is_free) {
  uint64_t bit = (uint64_t)1 << (block % 64), *word = &space->free_bits[block / 64];
  *word = is_free ? *word | bit : *word & ~bit;
}

/* Is the range ours up to there, or can be? */
static bool owns(struct td_space *space, size_t bytes) {
  /* relaxed, both: under the lock. */
  size_t mapped = atomic_load_explicit(&space->mapped_bytes, memory_order_relaxed);
  if (TIDE_LIKELY(bytes <= mapped)) return true;
  if (!td_plat_reserve_at((void *)(space->base + mapped), bytes - mapped)) return false;
  atomic_store_explicit(&space->mapped_bytes, bytes, memory_order_relaxed);
  return true;
}

/* Adds the next slab's blocks to the pool. Returns why not: the range ends, or there is no memory
 * for what tells of them. */
static enum td_room move_frontier(struct td_space *space) {
  uint32_t next = space->frontier + (uint32_t)TD_SLAB_BLOCKS;
  if (next > space->block_count) return TD_ROOM_NO_PLACE;
  if (!owns(space, next * TD_BLOCK_BYTES) || !td_tables_reach(space, next))
    return TD_ROOM_NO_MEMORY;
  for (uint32_t b = space->frontier; b < next; b++)
    set_free(space, b, b != 0);
  space->frontier = next;
  /* Markers beside the program go by what there was when they began: [beside]. */
  if (space->kept == space->epoch) space->view_frontier = next;
  return TD_ROOM;
}

/* Returns the first free block at or above `from`, or the frontier. */
static uint32_t next_free(const struct td_space *space, uint32_t from) {
  if (from >= space->frontier) return space->frontier;
  uint32_t word = from / 64;
  uint64_t bits = space->free_bits[word] & ~(uint64_t)0 << (from % 64);
  uint32_t words = (space->frontier + 63) / 64;
  while (bits == 0) {
    if (++word >= words) return space->frontier;
    bits = space->free_bits[word];
  }
  uint32_t block = word * 64 + (uint32_t)__builtin_ctzll(bits);
  return block < space->frontier ? block : space->frontier;
}

/* Returns the lowest `count` neighbouring free blocks, or 0, and then *room says why; if `clean`,
 * only such at which no false pointer was seen. They may end above the frontier, which then moves
 * up. */
static uint32_t find_extent(struct td_space *space, uint32_t count, bool clean,
                            enum td_room *room) {
  *room = TD_ROOM_NO_PLACE;
  if (count >= space->extent_limit) return 0;
  uint32_t start = next_free(space, space->single_hint);
  space->single_hint = start;
  uint32_t end = start;
  for (;;) {
    while (end < space->frontier && end - start < count && td_block_is_free(space, end) &&
           !(clean && td_avoids(space, end)))
      end++;
    if (end - start == count) return start;
    if (end == space->frontier) {
      *room = move_frontier(space);
      if (*room == TD_ROOM_NO_PLACE && !clean) space->extent_limit = count;
      if (*room != TD_ROOM) return 0;
      if (start == 0) start = end = 1; /* block 0 is never given out */
    } else {
      start = end = next_free(space, end + 1);
    }
  }
}

static bool is_in_budget(const struct td_space *space, uint32_t count) {
  uint32_t bound = td_backing_bound(space);
  return count <= bound && space->used_blocks <= bound - count;
}

/* The frontier moves here: where slabs are made ready the world may be stopped, and code that looks
 * at all blocks goes by the frontier. */
static void prepare_ahead(struct td_space *space, uint32_t first, uint32_t end) {
  while (space->frontier < end + td_ahead_slabs(space) * (uint32_t)TD_SLAB_BLOCKS)
    if (move_frontier(space) != TD_ROOM) break;
  if (first % TD_SLAB_BLOCKS == 0) /* relaxed: a hint; a slab is begun */
    __atomic_store_n(&space->wants_slabs, true, __ATOMIC_RELAXED);
}

/* Takes blocks that are free. Returns false if they get no memory. */
static bool take(struct td_space *space, uint32_t first, uint32_t count) {
  if (!td_backing_take(space, first, count)) return false;
  /* All bytes are being cleaned, or have been: see heap/cells/sort.c. */
  const bool clean = space->epoch == TD_EPOCH_LAST && (space->unsorted || space->cleaned);
  for (uint32_t b = first; b < first + count; b++) {
    if (clean) td_marks_fill(td_block_marks(space, b), 0, TD_BLOCK_GRANULES);
    set_free(space, b, false);
  }
  td_counted_add(&space->used_blocks, count);
  space->taken_blocks += count;
  if (space->grows_ahead) prepare_ahead(space, first, first + count);
  return true;
}

enum td_room td_blocks_take(struct td_space *space, uint32_t count, uint32_t *first) {
  if (!is_in_budget(space, count)) return TD_ROOM_OVER_BUDGET;
  /* Single blocks are for cells, each of which is avoided alone. */
  enum td_room room;
  uint32_t found = count > 1 ? find_extent(space, count, true, &room) : 0;
  if (found == 0) found = find_extent(space, count, false, &room);
  if (found == 0) return room;
  if (!take(space, found, count)) return TD_ROOM_NO_MEMORY;
  *first = found;
  return TD_ROOM;
}

bool td_blocks_take_behind(struct td_space *space, uint32_t first, uint32_t count) {
  if (!is_in_budget(space, count)) return false;
  if (first > space->block_count || count > space->block_count - first) return false;
  while (first + count > space->frontier)
    if (move_frontier(space) != TD_ROOM) return false;
  for (uint32_t b = first; b < first + count; b++)
    if (!td_block_is_free(space, b)) return false;
  return take(space, first, count);
}

uint32_t td_blocks_give(struct td_space *space, uint32_t first, uint32_t count) {
  if (space->view_free && td_space_was_used(space, first)) return 0;
  for (uint32_t b = first; b < first + count; b++) {
    td_block_write(&space->blocks[b], (struct td_block){0});
    td_block_become(&space->infos[b],
                    (struct td_block_info){.state = TD_BLOCK_FREE, .avoided = td_avoids(space, b)});
    set_free(space, b, true);
  }
  td_counted_add(&space->used_blocks, -(int64_t)count);
  if (first < space->single_hint) space->single_hint = first;
  space->extent_limit = UINT32_MAX;
  return count;
}

size_t td_space_trim(struct td_space *space, size_t keep_bytes) {
  pthread_mutex_lock(&space->lock);
  size_t keep = keep_bytes / TD_SLAB_BYTES, given = 0;
  for (uint32_t slab = 0; slab < space->frontier / TD_SLAB_BLOCKS; slab++) {
    uint32_t first = slab * (uint32_t)TD_SLAB_BLOCKS;
    uint32_t bits = (uint32_t)(space->free_bits[first / 64] >> (first % 64));
    if (!space->slab_committed[slab] || bits != UINT32_MAX) continue;
    if (keep > 0)
      keep--;
    else if (td_backing_give_slab(space, slab))
      given += TD_SLAB_BYTES;
  }
  pthread_mutex_unlock(&space->lock);
  return given;
}
