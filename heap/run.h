/* Runs of free cells, in the block that a mutator owns: see [run] and [owner] in heap/space.h. */
#ifndef TD_HEAP_RUN_H
#define TD_HEAP_RUN_H

#include "heap/space.h"

/* Returns the bytes of a piece of a run: whole cells of so many granules. */
uint16_t td_run_piece_bytes(const struct td_space *space, uint32_t cell);
/* Reserves the next run of the block and moves the cache to its first piece. Returns the bytes of
 * the piece, or 0 if no cell is free. */
size_t td_run_next(struct td_space *space, struct tide_bump *bump, uint32_t block);

#endif
