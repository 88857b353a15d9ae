/* Allocation of small objects. A mutator owns a block and hands out runs of its free cells to
 * itself: see heap/run.c. Only taking a block needs the lock, because the block is the mutator's
 * own from then on. */
#include "heap/alloc.h"

#include <string.h>

#include "heap/avoid.h"
#include "heap/blocks.h"
#include "heap/log.h"
#include "heap/published.h"
#include "heap/young.h"

/* Makes a fresh block one of cells of the layout and class. */
static void format(struct td_space *space, uint32_t block, tide_layout layout,
                   unsigned size_class) {
  const struct td_layout *described = &space->layouts.at[layout];
  uint32_t cell = (uint32_t)(td_class_bytes(size_class) >> TD_GRANULE_LOG2);
  struct td_block_info *info = &space->infos[block];
  uint8_t zeroed = info->zeroed, avoided = info->avoided;
  *info = (struct td_block_info){
      .cells = (uint16_t)(TD_BLOCK_GRANULES / cell),
      .size_class = (uint8_t)size_class,
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

static size_t free_bytes(const struct td_space *space, uint32_t block) {
  const struct td_block_info *info = &space->infos[block];
  return (size_t)(info->cells - info->live) * space->blocks[block].cell_granules << TD_GRANULE_LOG2;
}

/* Takes the next block off the unswept list of the layout and class, or a fresh one. Returns 0 if
 * there is none, and then *room says why. */
static uint32_t take_block(struct td_space *space, tide_layout layout, unsigned size_class,
                           enum td_room *room) {
  pthread_mutex_lock(&space->lock);
  uint32_t *list = &space->unswept[(size_t)layout * TIDE_BUMP_SLOTS + size_class];
  uint32_t block = 0;
  if (td_young_is_due(space)) {
    *room = TD_ROOM_YOUNG_DUE;
  } else if (*list) {
    block = *list;
    *list = space->infos[block].next;
    space->infos[block].reserved = space->infos[block].ahead = 0;
  } else {
    *room = td_blocks_take(space, 1, &block);
    if (block) format(space, block, layout, size_class);
  }
  if (block) td_young_touch(space, block, free_bytes(space, block));
  pthread_mutex_unlock(&space->lock);
  return block;
}

size_t td_space_refill(struct td_space *space, struct tide_bump *bump, tide_layout layout,
                       unsigned size_class, enum td_room *room) {
  size_t bytes = td_space_advance(space, bump);
  if (bytes) return bytes;
  *bump = (struct tide_bump){0};
  uint32_t block;
  while ((block = take_block(space, layout, size_class, room)) != 0)
    if ((bytes = td_run_next(space, bump, block)) != 0) return bytes;
  return 0;
}

static uint64_t granule_at(const struct td_space *space, uintptr_t address) {
  return (address - space->base) >> TD_GRANULE_LOG2;
}

/* Returns the block of a run that ends at `limit`. */
static uint32_t block_before(const struct td_space *space, uintptr_t limit) {
  return (uint32_t)((limit - 1 - space->base) >> TD_BLOCK_LOG2);
}

/* Returns the granule where the run ends: what was reserved behind its piece belongs to it. */
static uint64_t end_of_run(const struct td_space *space, const struct tide_bump *bump) {
  if (bump->limit & TD_RUN_HELD) return granule_at(space, bump->limit);
  uint32_t block = block_before(space, bump->limit);
  return ((uint64_t)block << TD_BLOCK_GRANULES_LOG2) + space->infos[block].reserved;
}

void td_space_retire(struct td_space *space, struct tide_bump *bump) {
  if (bump->limit) {
    uint64_t granule = granule_at(space, bump->next);
    memset(space->marks + granule, 0, end_of_run(space, bump) - granule);
  }
  *bump = (struct tide_bump){0};
}

bool td_space_is_unused_slow(const struct td_space *space, const struct tide_bump *bump,
                             uintptr_t address) {
  return granule_at(space, address) < end_of_run(space, bump);
}

void td_space_hold(struct td_space *space, struct tide_bump *bump) {
  if (bump->limit == 0) return;
  uint64_t granule = granule_at(space, bump->next);
  memset(space->marks + granule, 0, end_of_run(space, bump) - granule);
  bump->limit |= TD_RUN_HELD;
  uintptr_t limit = bump->limit - TD_RUN_HELD;
  if (bump->next < limit) space->infos[block_before(space, limit)].held = 1;
}

/* The cells of a run that goes on count as old: their block may be listed, and a mutator that
 * sweeps it does not know young objects. So they are logged, because their first stores may be to
 * come. */
static void hand_back_cell(struct td_space *space, uintptr_t cell) {
  if (space->has_young)
    td_log_fresh(space, cell);
  else
    space->marks[granule_at(space, cell)] = space->epoch;
}

void td_space_hand_back(struct td_space *space, const struct tide_bump *bump) {
  if (bump->limit == 0) return;
  uintptr_t limit = bump->limit - TD_RUN_HELD;
  if (bump->next == limit) return; /* its block may be another mutator's by now */
  uint32_t block = block_before(space, limit);
  for (uintptr_t at = bump->next; at < limit;
       at += (uintptr_t)space->blocks[block].cell_granules << TD_GRANULE_LOG2)
    hand_back_cell(space, at);
  space->infos[block].held = 0;
}
