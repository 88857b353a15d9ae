/* SPDX-License-Identifier: MIT */
#include "heap/memory/backing.h"

#include "heap/space/counted.h"
#include "heap/space/poison.h"

/* What the space may have beyond its limit: a slab is the least that is taken at once, a huge page
 * the least of a side table, and a part of the limit for rounding. */
#define SLACK_BLOCKS (2 * (uint32_t)TD_SLAB_BLOCKS)
#define SLACK_PART 64u
/* Blocks whose memory goes back in one go, if there are as many. */
#define PURGE_BLOCKS 16u
/* The part of the heap that may be memory for nothing, at the end of a huge page. */
#define SPARE_PART 8u
/* Bytes of side tables for a block. */
#define TABLE_BYTES                                                                                \
  (TD_BLOCK_GRANULES + sizeof(struct td_block) + sizeof(struct td_block_info) + TD_BLOCK_PAGES)

static char *address_of(const struct td_space *space, uint32_t block) {
  return (char *)td_block_start(space, block);
}

static bool is_committed(const struct td_space *space, uint32_t block) {
  return space->slab_committed[block / TD_SLAB_BLOCKS];
}

static bool has_memory(const struct td_space *space, uint32_t block) {
  return is_committed(space, block) && space->infos[block].zeroed != TD_ZEROED_BARE;
}

/* Blocks of committed slabs that have memory, or may have. */
static uint64_t backed_blocks(const struct td_space *space) {
  /* relaxed: under the lock. */
  uint64_t slabs = atomic_load_explicit(&space->committed_slabs, memory_order_relaxed);
  return slabs * TD_SLAB_BLOCKS - space->bare_blocks;
}

static uint64_t most_memory(const struct td_space *space) {
  return (uint64_t)space->max_blocks + SLACK_BLOCKS + space->max_blocks / SLACK_PART;
}

uint32_t td_backing_most(const struct td_space *space) {
  uint64_t most = most_memory(space) * TD_BLOCK_BYTES / (TD_BLOCK_BYTES + TABLE_BYTES);
  most = most > TD_SLAB_BLOCKS ? most - TD_SLAB_BLOCKS : 0; /* tables are had by the slab */
  return most < space->max_blocks ? (uint32_t)most : space->max_blocks;
}

/* Returns how many more blocks may have memory. Of the side tables, only what belongs to committed
 * slabs has some. */
static uint64_t room(const struct td_space *space) {
  uint64_t most = most_memory(space);
  uint64_t slabs =
      atomic_load_explicit(&space->committed_slabs, memory_order_relaxed); /* as above */
  uint64_t tables = slabs * TD_SLAB_BLOCKS * TABLE_BYTES / TD_BLOCK_BYTES + 1;
  uint64_t used = backed_blocks(space) + tables;
  return used < most ? most - used : 0;
}

static void note_peak(struct td_space *space) {
  uint32_t slabs = (uint32_t)((backed_blocks(space) + TD_SLAB_BLOCKS - 1) / TD_SLAB_BLOCKS);
  td_counted_raise(&space->peak_committed_slabs, slabs);
}

/* ---- Giving back ---- */

/* Takes the memory from a free block that has some. */
static bool strip(struct td_space *space, uint32_t block) {
  if (!td_plat_purge(address_of(space, block), TD_BLOCK_BYTES)) return false;
  if (space->has_poison) td_unpoison((uintptr_t)address_of(space, block), TD_BLOCK_BYTES);
  /* Or the system would make the slab one huge page again. */
  td_plat_advise_small(address_of(space, block), TD_BLOCK_BYTES);
  space->infos[block].zeroed = TD_ZEROED_BARE;
  td_counted_add(&space->bare_blocks, 1);
  return true;
}

/* Takes the memory from up to `count` free blocks outside of [first, end). The search goes on where
 * the last one ended. */
static void strip_free(struct td_space *space, uint64_t count, uint32_t first, uint32_t end) {
  uint32_t words = (space->frontier + 63) / 64;
  for (uint32_t i = 0; i < words && count > 0; i++) {
    uint32_t word = space->strip_hint < words ? space->strip_hint : 0;
    for (uint64_t bits = space->free_bits[word]; bits && count > 0; bits &= bits - 1) {
      uint32_t b = word * 64 + (uint32_t)__builtin_ctzll(bits);
      if (b >= space->frontier) break;
      if ((b < first || b >= end) && has_memory(space, b)) count -= strip(space, b);
    }
    if (count > 0) space->strip_hint = word + 1;
  }
}

bool td_backing_give_slab(struct td_space *space, uint32_t slab) {
  uint32_t first = slab * (uint32_t)TD_SLAB_BLOCKS;
  if (!td_plat_decommit(address_of(space, first), TD_SLAB_BYTES)) return false;
  if (space->has_poison) td_unpoison((uintptr_t)address_of(space, first), TD_SLAB_BYTES);
  /* The largest of the side tables. The marks of free blocks say nothing. */
  td_plat_purge(space->marks + (uint64_t)first * TD_BLOCK_GRANULES,
                TD_SLAB_BLOCKS * TD_BLOCK_GRANULES);
  for (uint32_t b = first; b < first + TD_SLAB_BLOCKS; b++)
    if (space->infos[b].zeroed == TD_ZEROED_BARE) td_counted_add(&space->bare_blocks, -1);
  space->slab_committed[slab] = TD_SLAB_NONE;
  /* relaxed: under the lock. */
  atomic_fetch_sub_explicit(&space->committed_slabs, 1, memory_order_relaxed);
  return true;
}

/* ---- Taking ---- */

/* In a heap that begins with small pages a slab becomes a huge one if the budget lets the heap grow
 * over it, or nearly: what is left over would be memory for nothing. */
static bool wants_huge_page(const struct td_space *space, uint32_t slab) {
  if (space->first_huge_slab == 0)
    return slab > 0; /* clearing one takes longer than a small heap */
  uint64_t end = ((uint64_t)slab + 1) * TD_SLAB_BLOCKS, budget = td_backing_bound(space);
  return slab >= space->first_huge_slab && end <= budget + budget / SPARE_PART;
}

/* `is_bare`: the slab's blocks get their memory one by one, when they are taken. */
static bool commit_slab(struct td_space *space, uint32_t slab, bool is_bare) {
  uint32_t first = slab * (uint32_t)TD_SLAB_BLOCKS;
  char *start = address_of(space, first);
  if (!td_plat_commit(start, TD_SLAB_BYTES)) return false;
  bool is_huge = !is_bare && wants_huge_page(space, slab);
  if (is_bare) td_plat_advise_small(start, TD_SLAB_BYTES);
  if (is_huge) td_plat_advise_huge(start, TD_SLAB_BYTES);
  space->slab_committed[slab] = is_huge ? TD_SLAB_HUGE : TD_SLAB_SMALL;
  /* relaxed: under the lock. */
  atomic_fetch_add_explicit(&space->committed_slabs, 1, memory_order_relaxed);
  for (uint32_t b = first; b < first + TD_SLAB_BLOCKS; b++)
    space->infos[b].zeroed = is_bare ? TD_ZEROED_BARE : TD_ZEROED;
  if (is_bare) td_counted_add(&space->bare_blocks, TD_SLAB_BLOCKS);
  return true;
}

/* Returns how many of the blocks have no memory. *others says how many blocks beside them would get
 * some if their slabs were taken whole. */
static uint64_t cost_of(const struct td_space *space, uint32_t first, uint32_t count,
                        uint64_t *others) {
  uint64_t cost = 0, fresh = 0, slabs = 0;
  for (uint32_t b = first; b < first + count; b++) {
    cost += !has_memory(space, b);
    if (is_committed(space, b)) continue;
    fresh++;
    slabs += b == first || b % TD_SLAB_BLOCKS == 0;
  }
  *others = slabs * TD_SLAB_BLOCKS - fresh;
  return cost;
}

bool td_backing_take(struct td_space *space, uint32_t first, uint32_t count) {
  uint32_t end = first + count;
  uint64_t others, cost = cost_of(space, first, count, &others), left = room(space);
  if (cost > left) {
    strip_free(space, cost - left + PURGE_BLOCKS, first, end);
    left = room(space);
  }
  if (cost > left) return false;
  bool is_bare = cost + others > left;
  for (uint32_t slab = first / (uint32_t)TD_SLAB_BLOCKS; slab <= (end - 1) / TD_SLAB_BLOCKS; slab++)
    if (!space->slab_committed[slab] && !commit_slab(space, slab, is_bare)) return false;
  for (uint32_t b = first; b < end; b++) {
    if (space->infos[b].zeroed != TD_ZEROED_BARE) continue;
    space->infos[b].zeroed = TD_ZEROED;
    td_counted_add(&space->bare_blocks, -1);
  }
  note_peak(space);
  return true;
}
