/* SPDX-License-Identifier: MIT */
#include "heap/reclaim.h"

#include "heap/memory/blocks.h"
#include "heap/cells/sort.h"
#include "heap/space/find.h"
#include "heap/space/marks.h"
#include "heap/space/walk.h"
#include "heap/withheld/dying.h"
#include "heap/withheld/quarantine.h"

static void tell(struct td_space *space, const struct td_layout *layout, uint64_t granule) {
  uintptr_t object = td_granule_address(space->base, granule);
  layout->on_reclaim((void *)object, td_space_object_bytes(space, object), layout->reclaim_context);
}

uint32_t td_reclaim_begin(struct td_space *space) {
  pthread_mutex_lock(&space->lock);
  uint32_t block = td_dying_take(space);
  pthread_mutex_unlock(&space->lock);
  return block;
}

void td_reclaim_tell(struct td_space *space, uint32_t block) {
  const struct td_layout *layout = &space->layouts.at[space->blocks[block].layout];
  struct td_block_info *info = &space->infos[block];
  const struct td_cells cells = td_space_cells(space, block);
  uint64_t granule = td_block_granule(block);
  for (uint32_t i = 0; i < cells.count; i++, granule += cells.granules) {
    if (td_mark_load(&space->marks[granule]) != TD_DYING) continue;
    /* relaxed, both: for a child of a fork, which sees what this thread had done until then. */
    __atomic_store_n(&info->ahead, (uint16_t)(i + 1), __ATOMIC_RELAXED);
    tell(space, layout, granule);
    if (!td_quarantine_take(space, td_granule_address(space->base, granule)))
      td_mark_store(&space->marks[granule], 0);
    __atomic_store_n(&info->ahead, 0, __ATOMIC_RELAXED);
  }
}

void td_reclaim_after_fork(struct td_space *space) {
  for (uint32_t block = 0; space->layouts.any_told && block < space->frontier; block++) {
    struct td_block_info *info = &space->infos[block];
    bool may_tell = info->state == TD_BLOCK_SMALL || info->state == TD_BLOCK_LARGE;
    if (!may_tell || info->reserved != TD_RESERVED_TELLING) continue;
    const struct td_cells cells = td_space_cells(space, block);
    if (info->ahead > 0)
      td_mark_store(td_block_marks(space, block) + (info->ahead - 1u) * cells.granules, 0);
    info->ahead = info->reserved = 0;
    td_dying_list(space, block);
  }
}

bool td_reclaim_end(struct td_space *space, uint32_t block) {
  const struct td_cells cells = td_space_cells(space, block);
  const uint8_t *mark = td_block_marks(space, block);
  for (uint32_t i = 0; i < cells.count; i++, mark += cells.granules)
    if (td_mark_load(mark) == TD_DYING) return false;
  pthread_mutex_lock(&space->lock);
  td_sort_again(space, block);
  pthread_mutex_unlock(&space->lock);
  return true;
}

/* Without mutators what is young counts as well, and nothing is deferred but what is logged. */
static bool tell_left(const struct td_cell *cell, void *context) {
  struct td_space *space = context;
  uint64_t granule = td_granule_of(space->base, cell->start);
  if (td_layout_is_told(space, cell->layout) &&
      (*cell->mark == TD_DYING || td_holds_object(space, granule)))
    tell(space, &space->layouts.at[cell->layout], granule);
  return true;
}

void td_reclaim_all(struct td_space *space) {
  if (space->layouts.any_told) td_space_each_cell(space, tell_left, space);
}
