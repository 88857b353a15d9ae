/* SPDX-License-Identifier: MIT */
#include "heap/cells/refill.h"

#include "heap/cells/run.h"
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
  uint8_t zeroed = info->zeroed, avoided = info->avoided;
  *info = (struct td_block_info){
      .cells = (uint16_t)(TD_BLOCK_GRANULES / cell),
      .size_class = (uint8_t)td_class_of(bytes),
      .state = TD_BLOCK_FREE,
      .zeroed = zeroed,
      .avoided = avoided,
      .unzeroed = described->unzeroed,
      .piece = td_run_piece_bytes(space, cell),
  };
  space->blocks[block] = td_small_block(described, layout, cell);
  space->has_words |= td_kind_has_words(space->blocks[block].kind);
  td_avoid_format(space, block);
  td_published_tell((_Atomic(uint8_t) *)&info->state, TD_BLOCK_SMALL);
}

/* Takes the next block off the unswept list of the layout and class, or a fresh one. Returns 0 if
 * there is none, and then *room says why. */
static uint32_t take_block(struct td_space *space, tide_layout layout, size_t cell,
                           enum td_room *room) {
  pthread_mutex_lock(&space->lock);
  uint32_t *list = &space->unswept[(size_t)layout * TIDE_BUMP_SLOTS + td_class_of(cell)];
  uint32_t block = 0;
  if (td_young_is_due(space)) {
    *room = TD_ROOM_YOUNG_DUE;
  } else if (*list) {
    block = *list;
    *list = space->infos[block].next;
    space->infos[block].reserved = space->infos[block].ahead = 0;
  } else if (!td_tables_reach_layout(space, layout)) {
    *room = TD_ROOM_NO_MEMORY;
  } else {
    *room = td_blocks_take(space, 1, &block);
    if (block) format(space, block, layout, cell);
  }
  const struct td_block_info *info = &space->infos[block];
  if (block) td_young_touch(space, block, (size_t)(info->cells - info->live) * cell);
  pthread_mutex_unlock(&space->lock);
  return block;
}

size_t td_space_refill(struct td_space *space, struct tide_bump *bump, tide_layout layout,
                       size_t cell, enum td_room *room) {
  *bump = (struct tide_bump){0};
  uint32_t block;
  size_t bytes = 0;
  while (!bytes && (block = take_block(space, layout, cell, room)) != 0)
    bytes = td_run_next(space, bump, block);
  return bytes;
}
