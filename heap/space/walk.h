/* SPDX-License-Identifier: MIT */
/* Visiting every cell of a space, or every object. */
#ifndef TD_HEAP_SPACE_WALK_H
#define TD_HEAP_SPACE_WALK_H

#include "heap/space/space.h"

/* A cell, or the extent of a large object. */
struct td_cell {
  uint8_t *mark;
  uintptr_t start;
  size_t bytes;
  tide_layout layout;
};
/* Returns whether to go on. */
typedef bool (*td_cell_visit)(const struct td_cell *cell, void *context);
/* Visit all cells, whether they hold objects or not, or those that do, in the order of addresses
 * until `visit` returns false. The world is stopped. */
void td_space_each_cell(const struct td_space *space, td_cell_visit visit, void *context);
void td_space_each_object(const struct td_space *space, td_cell_visit visit, void *context);

#endif
