/* Visiting every object. */
#include "heap/walk.h"

#include "heap/space/find.h"

static bool walk_block(const struct td_space *space, uint32_t b, td_space_visit visit,
                       void *context) {
  const struct td_block *block = &space->blocks[b];
  struct td_cells cells = td_space_cells(space, b);
  uint64_t first = (uint64_t)b << TD_BLOCK_GRANULES_LOG2;
  for (uint32_t i = 0; i < cells.count; i++) {
    uint64_t granule = first + (uint64_t)i * cells.granules;
    if (!td_holds_object(space, granule)) continue;
    uintptr_t object = td_granule_address(space->base, granule);
    if (!visit(object, td_space_object_bytes(space, object), block->layout, context)) return false;
  }
  return true;
}

void td_space_walk(const struct td_space *space, td_space_visit visit, void *context) {
  for (uint32_t b = 1; b < space->frontier; b++)
    if (!walk_block(space, b, visit, context)) return;
}
