/* SPDX-License-Identifier: MIT */
#include "heap/cells/pace.h"

#include "heap/memory/backing.h"

/* Blocks are scarce when less is left than this part of the fresh ones that there were at the
 * beginning, and of those that were listed with cells of the kind that is wanted. */
#define FRESH_PART 4u
#define LISTED_PART 8u
/* So little is allocated between two waits for the last block: then mutators hardly run. */
#define LEAST_BYTES ((uint32_t)TD_BLOCK_BYTES / 8)

static uint32_t fresh_left(const struct td_space *space) {
  uint32_t used = space->used_blocks, most = td_backing_most(space);
  return most > used ? most - used : 0;
}

/* relaxed, both: a hint for those without the lock. */
static void set(struct td_space *space, uint32_t bytes) {
  __atomic_store_n(&space->pace_bytes, bytes, __ATOMIC_RELAXED);
}

void td_pace_begin(struct td_space *space) {
  if (space->scarce_blocks == 0) space->scarce_blocks = fresh_left(space) / FRESH_PART + 1;
}

/* It lasts until the end: what is scarce does not get more. */
void td_pace_note(struct td_space *space, uint32_t left, uint32_t listed) {
  if (space->scarce_blocks == 0) return;
  const uint64_t few = fresh_left(space) + left;
  const uint64_t scarce = space->scarce_blocks + listed / LISTED_PART;
  if (few >= scarce) return;
  uint32_t bytes = (uint32_t)(TD_BLOCK_BYTES * few / scarce), before = space->pace_bytes;
  if (bytes < LEAST_BYTES) bytes = LEAST_BYTES;
  if (before == 0 || bytes < before) set(space, bytes);
}

void td_pace_end(struct td_space *space) {
  space->scarce_blocks = 0;
  set(space, 0);
}
