#include "heap/reclaim.h"

#include "heap/memory/blocks.h"
#include "heap/sort.h"
#include "heap/space/find.h"
#include "heap/space/marks.h"
#include "heap/withheld/dying.h"
#include "heap/withheld/quarantine.h"

static void tell(struct td_space *space, const struct td_layout *layout, uint64_t granule) {
  uintptr_t object = td_granule_address(space->base, granule);
  layout->on_reclaim((void *)object, td_space_object_bytes(space, object), layout->reclaim_context);
}

static void tell_block(struct td_space *space, uint32_t block) {
  const struct td_layout *layout = &space->layouts.at[space->blocks[block].layout];
  const struct td_cells cells = td_space_cells(space, block);
  uint64_t granule = (uint64_t)block << TD_BLOCK_GRANULES_LOG2;
  for (uint32_t i = 0; i < cells.count; i++, granule += cells.granules) {
    if (td_mark_load(&space->marks[granule]) != TD_DYING) continue;
    tell(space, layout, granule);
    if (!td_quarantine_take(space, td_granule_address(space->base, granule)))
      td_mark_store(&space->marks[granule], 0);
  }
}

bool td_reclaim_block(struct td_space *space) {
  pthread_mutex_lock(&space->lock);
  uint32_t block = td_dying_take(space);
  pthread_mutex_unlock(&space->lock);
  if (!block) return false;
  tell_block(space, block);
  pthread_mutex_lock(&space->lock);
  td_sort_again(space, block);
  pthread_mutex_unlock(&space->lock);
  return true;
}

/* Without mutators what is young counts as well, and nothing is deferred but what is logged. */
static bool is_left(const struct td_space *space, uint64_t granule) {
  return space->marks[granule] == TD_DYING || td_holds_object(space, granule);
}

void td_reclaim_all(struct td_space *space) {
  for (uint32_t b = 1; space->layouts.any_told && b < space->frontier; b++) {
    if (!td_dying_is_told(space, b)) continue;
    const struct td_cells cells = td_space_cells(space, b);
    uint64_t granule = (uint64_t)b << TD_BLOCK_GRANULES_LOG2;
    for (uint32_t i = 0; i < cells.count; i++, granule += cells.granules)
      if (is_left(space, granule))
        tell(space, &space->layouts.at[space->blocks[b].layout], granule);
  }
}
