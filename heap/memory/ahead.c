/* SPDX-License-Identifier: MIT */
#include "heap/memory/ahead.h"

#include <string.h>

#include "heap/memory/backing.h"
#include "heap/space/tables.h"

static uint64_t bits_of(uint32_t first) {
  return (uint64_t)UINT32_MAX << first % 64;
}
_Static_assert(TD_SLAB_BLOCKS == 32, "half a word of free_bits");

static bool is_free(const struct td_space *space, uint32_t first) {
  return (space->free_bits[first / 64] & bits_of(first)) == bits_of(first);
}

uint32_t td_ahead_slabs(const struct td_space *space) {
  return TD_READY_SLABS + (uint32_t)(td_ahead_bytes(space) / TD_SLAB_BYTES);
}

/* Returns the first block of the lowest slab that has no memory yet, or 0. */
static uint32_t find(struct td_space *space) {
  uint32_t needed = space->used_blocks, enough = td_ahead_slabs(space);
  uint32_t bound = td_backing_bound(space);
  uint32_t first = space->single_hint & ~(uint32_t)(TD_SLAB_BLOCKS - 1);
  for (uint32_t ready = 0; first < space->frontier; first += TD_SLAB_BLOCKS) {
    if (first == 0 || !is_free(space, first)) continue;
    needed += TD_SLAB_BLOCKS;
    if (needed > bound) return 0;
    if (!space->slab_committed[first / TD_SLAB_BLOCKS]) return first;
    if (++ready == enough) return 0;
  }
  return 0;
}

static void give(struct td_space *space) {
  uint32_t first = space->growing;
  if (!first) return;
  space->free_bits[first / 64] |= bits_of(first);
  if (first < space->single_hint) space->single_hint = first;
  space->extent_limit = UINT32_MAX;
  space->growing = 0;
}

/* So far tables shall reach: no mutator has to wait for the system when the frontier gets there. */
static uint32_t ahead_of(const struct td_space *space) {
  uint64_t end = space->frontier + (uint64_t)td_ahead_slabs(space) * TD_SLAB_BLOCKS;
  return end < space->block_count ? (uint32_t)end : space->block_count;
}

bool td_ahead_make(struct td_space *space) {
  pthread_mutex_lock(&space->lock);
  __atomic_store_n(&space->wants_slabs, false, __ATOMIC_RELAXED); /* relaxed: a hint */
  (void)td_tables_reach(space, ahead_of(space));
  uint32_t first = find(space);
  bool may = first && td_backing_take(space, first, TD_SLAB_BLOCKS) &&
             space->slab_committed[first / TD_SLAB_BLOCKS] == TD_SLAB_HUGE;
  if (may) {
    space->growing = first;
    space->free_bits[first / 64] &= ~bits_of(first);
  }
  pthread_mutex_unlock(&space->lock);
  if (!may) return false;
  td_plat_touch((void *)td_block_start(space, first), TD_SLAB_BYTES);
  td_plat_touch(td_block_marks(space, first), TD_SLAB_BLOCKS * TD_BLOCK_GRANULES);
  pthread_mutex_lock(&space->lock);
  give(space);
  pthread_mutex_unlock(&space->lock);
  return true;
}

void td_ahead_copy_free(struct td_space *space, uint64_t *bits) {
  pthread_mutex_lock(&space->lock);
  memcpy(bits, space->free_bits, ((size_t)space->frontier + 63) / 64 * sizeof *bits);
  if (space->growing) bits[space->growing / 64] |= bits_of(space->growing);
  pthread_mutex_unlock(&space->lock);
}

void td_ahead_forget(struct td_space *space) {
  give(space);
}
