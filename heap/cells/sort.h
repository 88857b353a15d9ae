/* SPDX-License-Identifier: MIT */
/* Sorting the blocks after marking, by what is alive in them. */
#ifndef TD_HEAP_CELLS_SORT_H
#define TD_HEAP_CELLS_SORT_H

#include "heap/space/space.h"

/* Counts what is alive, returns blocks without a marked object to the pool, and lists those with
 * room as unswept. Returns the number of blocks freed. The world is stopped. */
uint32_t td_space_end_marking(struct td_space *space);
/* The same after a young marking, for the touched blocks only (heap/young/young.h). Other blocks
 * are as they were. Those with room come before them in the lists: they may still be in a cache. */
uint32_t td_space_end_young(struct td_space *space);

/* [beside] The same while a full marking goes on, the world stopped: what that has not found yet is
 * alive. The dead are not kept in quarantine, nor is the program told of them. */
uint32_t td_space_end_young_beside(struct td_space *space);

/* Sorting beside the program, after a full marking. A mutator that finds no block of its kind sorts
 * some more before it takes a fresh one. */
#define TD_SORT_STEP 16u /* blocks at a time: about 10 us under the lock */
/* Not if the program is told of its dead, or they are kept for a while. */
bool td_sort_may_wait(const struct td_space *space);
/* World stopped, all runs retired: nothing is listed, and all blocks are to be sorted. */
void td_sort_begin(struct td_space *space);
/* Are there such blocks? A hint, unless the caller holds the lock. */
static inline bool td_sort_is_behind(const struct td_space *space) {
  /* relaxed: the lock orders what follows. */
  return __atomic_load_n(&space->unsorted, __ATOMIC_RELAXED) != 0;
}
/* Under the lock: sorts the next ones. */
void td_sort_step(struct td_space *space);
/* The same by itself. Returns whether there are more. */
bool td_sort_some(struct td_space *space);
/* All that are left, while others go first that wait for the lock. */
void td_sort_rest(struct td_space *space);

/* The block's owner ends, and has retired its run there, which had come to the granule `ahead`:
 * another may go on from there. Not where what was allocated since the last collection does not
 * count as alive: [young], [beside]. */
void td_sort_leave(struct td_space *space, uint32_t block, uint16_t ahead);

/* Under the lock: a block that no longer waits (heap/withheld/dying.h), with nothing dying in it
 * any more, becomes free or unswept. */
void td_sort_again(struct td_space *space, uint32_t block);

#endif
