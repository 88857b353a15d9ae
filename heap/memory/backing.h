/* SPDX-License-Identifier: MIT */
/* The memory behind the blocks of slabs from the system, and the bound on all of it.
 *
 * A space's limit bounds memory, not only blocks in use: free blocks that were written keep theirs,
 * a slab that is taken whole has memory for all its blocks, and side tables take memory too. Near
 * the limit, free blocks give their memory back, and a slab that would be too much is taken block
 * by block. */
#ifndef TD_HEAP_MEMORY_BACKING_H
#define TD_HEAP_MEMORY_BACKING_H

#include "heap/space/space.h"

/* Returns how many blocks the limit has memory for, with their part of the side tables, if no free
 * block keeps its memory. */
uint32_t td_backing_most(const struct td_space *space);
/* Returns how many blocks may be in use: the budget; or, from the moment when a collection beside
 * the program is wanted until it has ended, all that the limit has memory for. Under the lock. */
static inline uint32_t td_backing_bound(const struct td_space *space) {
  return space->scarce_blocks ? td_backing_most(space) : space->budget_blocks;
}
/* Commits [first, first + count), which are free. Returns false if there is no memory, or none
 * within the limit. What was committed then stays in the pool. The caller holds the lock. */
bool td_backing_take(struct td_space *space, uint32_t first, uint32_t count);
/* Gives a slab without a used block back to the system. Returns false if the system keeps it. The
 * caller holds the lock. */
bool td_backing_give_slab(struct td_space *space, uint32_t slab);

#endif
