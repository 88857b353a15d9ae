/* SPDX-License-Identifier: MIT */
/* Objects that have died and of which the program is to be told: those of layouts with a function
 * for it (tide_layout_on_reclaim).
 *
 * Sorting gives them the byte TD_DYING. The cell is no object any more, nor is it free: its block
 * waits in a list of its own, and nobody allocates from it until the program was told of all that
 * died there (heap/reclaim.h). A block of such a layout is sorted cell by cell; others are sorted
 * as if there were none. */
#ifndef TD_HEAP_WITHHELD_DYING_H
#define TD_HEAP_WITHHELD_DYING_H

#include "heap/space/space.h"

#define TD_DYING (TD_EPOCH_LAST + 1)

/* Is the program to be told of what dies in the block, or of the layout? */
static inline bool td_layout_is_told(const struct td_space *space, tide_layout layout) {
  return space->layouts.any_told && space->layouts.at[layout].on_reclaim != NULL;
}
static inline bool td_dying_is_told(const struct td_space *space, uint32_t block) {
  return td_layout_is_told(space, space->blocks[block].layout);
}

/* Sorting, under the lock: makes what has died in a SMALL or LARGE block dying, and stores how much
 * there is. Returns how many objects live. */
uint32_t td_dying_sort(struct td_space *space, uint32_t block, uint32_t *dying);
/* Under the lock: the block, which was sorted, waits. */
void td_dying_list(struct td_space *space, uint32_t block);
/* Under the lock: takes one that waits, and is in no list then. Returns 0 if there is none. The
 * world may be stopped while the program is told: more may be dying in the block afterwards. */
uint32_t td_dying_take(struct td_space *space);
/* World stopped, before all blocks are sorted: none waits. */
void td_dying_unlist(struct td_space *space);

#endif
