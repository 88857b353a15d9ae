/* SPDX-License-Identifier: MIT */
/* The pool of blocks: which are free, and the memory behind them. */
#ifndef TD_HEAP_MEMORY_BLOCKS_H
#define TD_HEAP_MEMORY_BLOCKS_H

#include "heap/space/space.h"

/* Takes `count` neighbouring free blocks within the budget, `count` > 0, and stores the first in
 * *first. Their memory is committed, their state is still FREE, and `zeroed` tells whether they
 * were ever written. The caller holds the space's lock. */
enum td_room td_blocks_take(struct td_space *space, uint32_t count, uint32_t *first);
/* Takes the blocks [first, first + count) if all are free, within the budget. The caller holds the
 * space's lock. Returns false if they are not to be had. */
bool td_blocks_take_behind(struct td_space *space, uint32_t first, uint32_t count);
/* Gives back a block, an extent or the end of one, and clears the entries. Returns how many blocks:
 * 0 if they have to stay what they are, see [beside]. The caller holds the space's lock. */
uint32_t td_blocks_give(struct td_space *space, uint32_t first, uint32_t count);
/* Gives slabs without a used block back to the system, but keeps keep_bytes of free memory. A slab
 * that the system does not take back stays in the pool. Returns the bytes given back. Any thread
 * may call; takes the lock. */
size_t td_space_trim(struct td_space *space, size_t keep_bytes);

static inline bool td_block_is_free(const struct td_space *space, uint32_t block) {
  return space->free_bits[block / 64] >> (block % 64) & 1;
}

#endif
