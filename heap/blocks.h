/* The pool of blocks: which are free, and the memory behind them. All calls hold the heap's
 * lock (or have the world stopped). */
#ifndef TD_HEAP_BLOCKS_H
#define TD_HEAP_BLOCKS_H

#include "heap/space.h"

/* `count` neighbouring free blocks within the budget, committed, infos' state still FREE and
 * `zeroed` telling whether they were ever written. Returns the first block's number, 0 if there
 * are none. */
uint32_t td_blocks_take(struct td_space *space, uint32_t count);
/* Returns them; their blocks[] and infos[] entries are cleared here. */
void td_blocks_give(struct td_space *space, uint32_t first, uint32_t count);

static inline bool td_block_is_free(const struct td_space *space, uint32_t block) {
  return space->free_bits[block / 64] >> (block % 64) & 1;
}

#endif
