/* SPDX-License-Identifier: MIT */
#include "heap/cells/refill.h"

#include "heap/cells/pace.h"
#include "heap/cells/run.h"
#include "heap/cells/sort.h"
#include "heap/memory/ahead.h"
#include "heap/memory/backing.h"
#include "heap/memory/blocks.h"
#include "heap/space/published.h"
#include "heap/space/tables.h"
#include "heap/withheld/avoid.h"
#include "heap/young/young.h"

/* Makes a fresh block one of cells of `bytes` bytes of the layout. */
static void format(struct td_space *space, uint32_t block, tide_layout layout, size_t bytes) {
  const struct td_layout *described = &space->layouts.at[layout];
  uint32_t cell = (uint32_t)(bytes >> TD_GRANULE_LOG2);
  struct td_block_info *info = &space->infos[block];
  td_block_become(info, (struct td_block_info){
                            .cells = (uint16_t)(TD_BLOCK_GRANULES / cell),
                            .size_class = (uint8_t)td_class_of(bytes),
                            .state = TD_BLOCK_FREE,
                            .zeroed = info->zeroed,
                            .avoided = info->avoided,
                            .unzeroed = described->unzeroed,
                            .piece = td_run_piece_bytes(space, cell),
                        });
  td_block_write(&space->blocks[block], td_small_block(described, layout, cell));
  td_space_note_kind(space, space->blocks[block].kind);
  td_avoid_format(space, block);
  td_published_tell((_Atomic(uint8_t) *)&info->state, TD_BLOCK_SMALL);
}

/* ---- How long the room will last ----
 *
 * Fresh blocks and each list are used up at the pace at which they were used since all blocks were
 * sorted. What young collections have given back since counts as used up, too: there may be none
 * while one goes on beside the program. A list that ends is no matter while there are fresh blocks.
 *
 * Where there are young collections, what one has just left has to last, and it is the limit that
 * counts: they keep within the budget by themselves, and it may be exceeded beside the program. */
#define YOUNG_PART 8u

/* Will `left` of something, of which `taken` went with the bytes allocated so far, be gone before
 * `ahead` more are allocated? */
static bool ends_soon(const struct td_space *space, double ahead, uint32_t left, uint64_t taken) {
  return left * (double)space->taken_bytes < (double)taken * ahead;
}

static bool runs_short(const struct td_space *space, const struct td_unswept *list) {
  double ahead = td_ahead_bytes(space);
  if (ahead <= 0 || space->runs_short || space->unsorted) return false;
  const bool young = td_young_are_born(space);
  if (young && space->young_bytes > space->young_due / YOUNG_PART) return false;
  uint32_t used = space->used_blocks;
  uint32_t budget = young ? td_backing_most(space) : space->budget_blocks;
  uint32_t left = budget > used ? budget - used : 0;
  if ((double)left * TD_BLOCK_BYTES > ahead) return false;
  return ends_soon(space, ahead, left, space->taken_blocks) ||
         ends_soon(space, ahead, list->left, list->listed - list->left);
}

/* Takes the next block off the unswept list of the layout and class, or a fresh one. Returns 0 if
 * there is none, and then *room says why. */
static uint32_t take_block(struct td_space *space, tide_layout layout, size_t cell,
                           enum td_room *room) {
  td_space_lock(space);
  struct td_unswept *list = &space->lists[layout].unswept[td_class_of(cell)];
  uint32_t block = 0;
  if (!list->first && space->unsorted) td_sort_step(space);
  if (td_young_is_due(space)) {
    *room = TD_ROOM_YOUNG_DUE;
  } else if (list->first) {
    block = list->first;
    list->first = space->infos[block].next;
    list->left--;
    space->infos[block].reserved = 0;
  } else if (!td_tables_reach_layout(space, layout)) {
    *room = TD_ROOM_NO_MEMORY;
  } else {
    *room = td_blocks_take(space, 1, &block);
    if (block) format(space, block, layout, cell);
  }
  td_pace_note(space, list->left, list->listed);
  if (runs_short(space, list)) /* relaxed: a hint */
    __atomic_store_n(&space->runs_short, true, __ATOMIC_RELAXED);
  const struct td_block_info *info = &space->infos[block];
  if (block) td_young_touch(space, block, (size_t)(info->cells - info->live) * cell);
  pthread_mutex_unlock(&space->lock);
  return block;
}

/* Many threads that want little of a kind share its blocks: the first run of each since a
 * collection is a piece, and the next thread goes on behind it. Not where td_sort_leave would not
 * list the block. */
static bool shares(const struct td_space *space) {
  /* relaxed: a hint. */
  return __atomic_load_n(&space->crowded, __ATOMIC_RELAXED) && !space->has_young &&
         space->kept == space->epoch && !td_sort_is_behind(space);
}

static void share(struct td_space *space, struct tide_bump *bump, uint32_t block) {
  const uintptr_t used = bump->limit - td_block_start(space, block);
  td_space_keep_piece(space, bump);
  td_sort_leave(space, block, (uint16_t)(used >> TD_GRANULE_LOG2));
}

size_t td_space_refill(struct td_space *space, struct tide_bump *bump, tide_layout layout,
                       size_t cell, enum td_room *room) {
  const bool is_first = bump->limit == 0;
  size_t bytes = 0;
  while (!bytes) {
    uint32_t block = take_block(space, layout, cell, room);
    if (block)
      bytes = td_run_next(space, bump, block);
    else if (!td_sort_is_behind(space))
      break;
    if (bytes && is_first && shares(space)) share(space, bump, block);
  }
  return bytes;
}
