/* SPDX-License-Identifier: MIT */
/* Objects that are too long for a block of cells. */
#include "heap/cells/large.h"
#include "heap/cells/medium.h"
#include "heap/cells/sort.h"

static void *take(struct td_space *space, tide_layout layout, size_t bytes, bool alone,
                  enum td_room *room) {
  void *object = NULL;
  if (bytes <= TD_MEDIUM_BYTES_MAX && !alone) object = td_space_alloc_medium(space, layout, bytes);
  return object ? object : td_space_alloc_large(space, layout, bytes, room);
}

/* While blocks are to be sorted, each allocation sorts some, and one without room all. */
void *td_space_alloc_long(struct td_space *space, tide_layout layout, size_t bytes, bool in_blocks,
                          enum td_room *room) {
  /* An object of whose death the program is told dies alone. */
  const bool alone = in_blocks || space->layouts.at[layout].on_reclaim;
  bool more = td_sort_is_behind(space) && td_sort_some(space);
  void *object = take(space, layout, bytes, alone, room);
  while (!object && more) {
    more = td_sort_some(space);
    object = take(space, layout, bytes, alone, room);
  }
  return object;
}
