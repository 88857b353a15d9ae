/* The pool of blocks, over slabs that jemalloc chooses.
 *
 * Memory is taken from the arena in groups of neighbouring slabs: one slab mostly, several for a
 * long extent. A group is given back as a whole. Groups do not lie side by side, so no extent
 * crosses from one into another. As in the other pool, a free block has its bit set whether or not
 * the space has its slab at present; only blocks of slabs that it has are given out. */
#include "heap/blocks.h"

#include <stdlib.h>

#include "heap/counted.h"
#include "heap/jemalloc/arena.h"
#include "heap/poison.h"
#include "heap/slabs.h"

/* Values of slab_committed. */
enum { NOT_OURS = 0, GROUP_FIRST = 1, GROUP_OTHER = 2 };

_Static_assert(TD_SLAB_BLOCKS == 32, "a word of 32 bits tells which blocks of a slab are free");

struct td_slabs {
  struct td_arena *arena;
};

/* ---- The arena ---- */

/* jemalloc puts a page behind each large allocation, so the addresses of every other slab stay
 * unused. It also puts a chunk of its own bookkeeping into the range. */
size_t td_slabs_range_bytes(size_t wanted) {
  size_t margin = 8 * TD_SLAB_BYTES;
  return wanted <= (SIZE_MAX - margin) / 4 ? 2 * wanted + margin : wanted;
}

bool td_slabs_open(struct td_space *space) {
  struct td_slabs *slabs = calloc(1, sizeof *slabs);
  if (!slabs) return false;
  /* Block 0 is never given out. Its slab stays outside the arena, so that every group is whole. */
  slabs->arena =
      td_arena_open((char *)space->base + TD_SLAB_BYTES, space->reserved_bytes - TD_SLAB_BYTES);
  if (!slabs->arena) {
    free(slabs);
    return false;
  }
  space->slabs = slabs;
  return true;
}

void td_slabs_close(struct td_space *space) {
  if (!space->slabs) return;
  td_arena_close(space->slabs->arena);
  free(space->slabs);
  space->slabs = NULL;
}

void td_slabs_tick(struct td_space *space) {
  td_arena_decay(space->slabs->arena);
}

size_t td_slabs_cached_bytes(const struct td_space *space) {
  size_t all = td_arena_committed_bytes(space->slabs->arena);
  /* relaxed: a figure of some moment. */
  size_t ours = atomic_load_explicit(&space->committed_slabs, memory_order_relaxed);
  return all > ours * TD_SLAB_BYTES ? all - ours * TD_SLAB_BYTES : 0;
}

/* ---- Groups ---- */

static uint32_t free_blocks_of(const struct td_space *space, uint32_t slab) {
  return (uint32_t)(space->free_bits[slab / 2] >> (slab % 2 * 32));
}

static void set_free(struct td_space *space, uint32_t first, uint32_t count, bool is_free) {
  for (uint32_t b = first; b < first + count; b++) {
    uint64_t bit = (uint64_t)1 << (b % 64);
    space->free_bits[b / 64] = (space->free_bits[b / 64] & ~bit) | (is_free ? bit : 0);
  }
}

/* Moves the frontier up. The blocks that it passes become free ones, except for block 0. */
static void raise_frontier(struct td_space *space, uint32_t end) {
  if (end <= space->frontier) return;
  set_free(space, space->frontier, end - space->frontier, true);
  if (space->frontier == 0) set_free(space, 0, 1, false);
  space->frontier = end;
}

/* The peak counts what jemalloc keeps as well. */
static void note_peak(struct td_space *space) {
  size_t all = td_arena_committed_bytes(space->slabs->arena);
  uint32_t slabs = (uint32_t)((all + TD_SLAB_BYTES - 1) / TD_SLAB_BYTES);
  td_counted_raise(&space->peak_committed_slabs, slabs);
}

/* Takes a new group for so many blocks. Returns its first block, or 0 if there is no memory. */
static uint32_t take_group(struct td_space *space, uint32_t count) {
  size_t bytes = ((size_t)count + TD_SLAB_BLOCKS - 1) / TD_SLAB_BLOCKS * TD_SLAB_BYTES;
  bool zero;
  uintptr_t at = (uintptr_t)td_arena_take(space->slabs->arena, &bytes, TD_SLAB_BYTES, &zero);
  if (at && space->first_huge_slab == 0) td_plat_advise_huge((void *)at, bytes);
  if (!at) return 0;
  uint32_t slab = (uint32_t)((at - space->base) / TD_SLAB_BYTES);
  uint32_t slabs = (uint32_t)(bytes / TD_SLAB_BYTES), first = slab * (uint32_t)TD_SLAB_BLOCKS;
  raise_frontier(space, first + slabs * (uint32_t)TD_SLAB_BLOCKS);
  for (uint32_t i = 0; i < slabs; i++)
    space->slab_committed[slab + i] = i == 0 ? GROUP_FIRST : GROUP_OTHER;
  for (uint32_t b = first; b < first + slabs * TD_SLAB_BLOCKS; b++)
    space->infos[b].zeroed = zero;
  /* relaxed: under the lock. */
  atomic_fetch_add_explicit(&space->committed_slabs, slabs, memory_order_relaxed);
  note_peak(space);
  if (first < space->single_hint) space->single_hint = first;
  return first;
}

static uint32_t group_slabs(const struct td_space *space, uint32_t slab) {
  uint32_t count = 1;
  while (slab + count < space->frontier / TD_SLAB_BLOCKS &&
         space->slab_committed[slab + count] == GROUP_OTHER)
    count++;
  return count;
}

static bool group_is_free(const struct td_space *space, uint32_t slab, uint32_t slabs) {
  for (uint32_t i = 0; i < slabs; i++)
    if (free_blocks_of(space, slab + i) != UINT32_MAX) return false;
  return true;
}

static void give_group(struct td_space *space, uint32_t slab, uint32_t slabs) {
  for (uint32_t i = 0; i < slabs; i++)
    space->slab_committed[slab + i] = NOT_OURS;
  if (space->has_poison)
    td_unpoison(space->base + (size_t)slab * TD_SLAB_BYTES, slabs * TD_SLAB_BYTES);
  td_arena_give(space->slabs->arena, (char *)space->base + (size_t)slab * TD_SLAB_BYTES);
  /* relaxed: under the lock. */
  atomic_fetch_sub_explicit(&space->committed_slabs, slabs, memory_order_relaxed);
}

/* ---- The pool ---- */

/* Returns the lowest of `count` neighbouring set bits, or -1. */
static int extent_in(uint32_t bits, uint32_t count) {
  for (uint32_t have = 1; have < count;) {
    uint32_t more = have < count - have ? have : count - have;
    bits &= bits >> more;
    have += more;
  }
  return bits ? __builtin_ctz(bits) : -1;
}

/* Returns `count` free blocks within one slab that the space has, or 0. */
static uint32_t find_in_slab(struct td_space *space, uint32_t count) {
  uint32_t slabs = space->frontier / (uint32_t)TD_SLAB_BLOCKS;
  bool nothing_below = true;
  for (uint32_t slab = space->single_hint / (uint32_t)TD_SLAB_BLOCKS; slab < slabs; slab++) {
    uint32_t first = slab * (uint32_t)TD_SLAB_BLOCKS;
    uint32_t bits = space->slab_committed[slab] == NOT_OURS ? 0 : free_blocks_of(space, slab);
    nothing_below &= bits == 0;
    if (nothing_below) space->single_hint = first + (uint32_t)TD_SLAB_BLOCKS;
    int at = extent_in(bits, count);
    if (at >= 0) return first + (uint32_t)at;
  }
  return 0;
}

/* Returns a group for so many blocks that is free and was not given back yet, or 0. */
static uint32_t find_group(struct td_space *space, uint32_t count) {
  for (uint32_t slab = 0; slab < space->frontier / TD_SLAB_BLOCKS; slab++) {
    if (space->slab_committed[slab] != GROUP_FIRST) continue;
    uint32_t slabs = group_slabs(space, slab);
    if (slabs * TD_SLAB_BLOCKS >= count && group_is_free(space, slab, slabs))
      return slab * (uint32_t)TD_SLAB_BLOCKS;
  }
  return 0;
}

/* jemalloc does not say whether memory or room in the range is missing: both count as memory. */
enum td_room td_blocks_take(struct td_space *space, uint32_t count, uint32_t *first) {
  if (count > space->budget_blocks || space->used_blocks > space->budget_blocks - count)
    return TD_ROOM_OVER_BUDGET;
  uint32_t found = count <= TD_SLAB_BLOCKS ? find_in_slab(space, count) : find_group(space, count);
  if (found == 0) found = take_group(space, count);
  if (found == 0) return TD_ROOM_NO_MEMORY;
  set_free(space, found, count, false);
  td_counted_add(&space->used_blocks, count);
  *first = found;
  return TD_ROOM;
}

/* Only within a group: its blocks have one owner, whatever lies behind it. */
bool td_blocks_take_behind(struct td_space *space, uint32_t first, uint32_t count) {
  if (count > space->budget_blocks || space->used_blocks > space->budget_blocks - count)
    return false;
  if (count > space->frontier || first > space->frontier - count) return false;
  for (uint32_t b = first; b < first + count; b++) {
    bool begins = b % TD_SLAB_BLOCKS == 0;
    if (!td_block_is_free(space, b)) return false;
    if (begins && space->slab_committed[b / TD_SLAB_BLOCKS] != GROUP_OTHER) return false;
  }
  set_free(space, first, count, false);
  td_counted_add(&space->used_blocks, count);
  return true;
}

void td_blocks_give(struct td_space *space, uint32_t first, uint32_t count) {
  for (uint32_t b = first; b < first + count; b++) {
    space->blocks[b] = (struct td_block){0};
    space->infos[b] = (struct td_block_info){0};
  }
  set_free(space, first, count, true);
  td_counted_add(&space->used_blocks, -(int64_t)count);
  if (first < space->single_hint) space->single_hint = first;
}

size_t td_space_trim(struct td_space *space, size_t keep_bytes) {
  size_t keep = keep_bytes / TD_SLAB_BYTES, given = 0;
  pthread_mutex_lock(&space->lock);
  for (uint32_t slab = 0; slab < space->frontier / TD_SLAB_BLOCKS; slab++) {
    if (space->slab_committed[slab] != GROUP_FIRST) continue;
    uint32_t slabs = group_slabs(space, slab);
    if (!group_is_free(space, slab, slabs)) continue;
    if (keep >= slabs) {
      keep -= slabs;
      continue;
    }
    give_group(space, slab, slabs);
    given += slabs * TD_SLAB_BYTES;
  }
  pthread_mutex_unlock(&space->lock);
  return given;
}
