/* SPDX-License-Identifier: MIT */
/* Sorting the blocks after marking, by what is alive in them. */
#ifndef TD_HEAP_SORT_H
#define TD_HEAP_SORT_H

#include "heap/space/space.h"

/* Counts what is alive, returns blocks without a marked object to the pool, and lists those with
 * room as unswept. Returns the number of blocks freed. The world is stopped. */
uint32_t td_space_end_marking(struct td_space *space);
/* The same after a young marking, for the touched blocks only (heap/young/young.h). Other blocks
 * are as they were. Those with room come before them in the lists: they may still be in a cache. */
uint32_t td_space_end_young(struct td_space *space);

/* Under the lock: a block that no longer waits (heap/withheld/dying.h), with nothing dying in it
 * any more, becomes free or unswept. */
void td_sort_again(struct td_space *space, uint32_t block);

#endif
