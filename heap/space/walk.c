/* SPDX-License-Identifier: MIT */
/* Visiting cells. */
#include "heap/space/walk.h"

#include "heap/space/find.h"

static bool visit_block(const struct td_space *space, uint32_t block, bool objects,
                        td_cell_visit visit, void *context) {
  const struct td_cells cells = td_space_cells(space, block);
  const size_t bytes = td_block_object_bytes(&space->blocks[block], &space->infos[block]);
  struct td_cell cell = {.bytes = bytes, .layout = space->blocks[block].layout};
  for (uint32_t i = 0; i < cells.count; i++) {
    uint64_t granule = td_block_granule(block) + (uint64_t)i * cells.granules;
    if (objects && !td_holds_object(space, granule)) continue;
    cell.mark = &space->marks[granule];
    cell.start = td_granule_address(space->base, granule);
    if (!visit(&cell, context)) return false;
  }
  return true;
}

static void visit_all(const struct td_space *space, bool objects, td_cell_visit visit,
                      void *context) {
  for (uint32_t b = 1; b < space->frontier; b++)
    if (!visit_block(space, b, objects, visit, context)) return;
}

void td_space_each_cell(const struct td_space *space, td_cell_visit visit, void *context) {
  visit_all(space, false, visit, context);
}

void td_space_each_object(const struct td_space *space, td_cell_visit visit, void *context) {
  visit_all(space, true, visit, context);
}
