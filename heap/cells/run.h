/* SPDX-License-Identifier: MIT */
/* Runs of free cells, in the block that a mutator owns: [run] and [owner] in heap/space/space.h. */
#ifndef TD_HEAP_CELLS_RUN_H
#define TD_HEAP_CELLS_RUN_H

#include "heap/space/space.h"

/* Returns the bytes of a piece of a run: whole cells of that number of granules. */
uint16_t td_run_piece_bytes(const struct td_space *space, uint32_t cell);
/* Reserves the next run of the block and moves the cache to its first piece. Returns the bytes of
 * the piece, or 0 if no cell is free. */
size_t td_run_next(struct td_space *space, struct tide_bump *bump, uint32_t block);
/* Moves the cache on within the block that it lies in, so no lock is taken. Returns the bytes that
 * it covers now, or 0 if the block is used up or the cache is empty. */
size_t td_space_advance(struct td_space *space, struct tide_bump *bump);

/* A run that is held over a stop, because its owner was stopped wherever it was and may be about to
 * take a cell. The piece that the cache covers stays the owner's, and so do the values in the cache
 * but for this bit in `limit`, which makes no difference to the comparison that inlined code makes.
 * What was reserved behind the piece goes back, and the block with it, so that others may take it:
 * the bit tells that the run does not go on behind its piece. */
#define TD_RUN_HELD ((uintptr_t)1)
/* World stopped: the piece does not count as objects, but its block stays. Does nothing for an
 * empty cache. */
void td_space_hold(struct td_space *space, struct tide_bump *bump);
/* Before the owner goes on: the piece is the owner's again. */
void td_space_hand_back(struct td_space *space, const struct tide_bump *bump);

/* Of a run just reserved keeps the piece alone, as if it had been held. The block is to be left. */
void td_space_keep_piece(const struct td_space *space, struct tide_bump *bump);

/* Gives the unused rest of the run back and empties the cache. The world is stopped, or the owner
 * calls. */
void td_space_retire(struct td_space *space, struct tide_bump *bump);
/* Returns whether the address lies in the unused rest of the run, behind its piece included. The
 * owner asks. */
bool td_space_is_unused_slow(const struct td_space *space, const struct tide_bump *bump,
                             uintptr_t address);
static inline bool td_space_is_unused(const struct td_space *space, const struct tide_bump *bump,
                                      uintptr_t address) {
  /* A run lies in one block. For an address before `next` the difference is huge. */
  return address - bump->next < TD_BLOCK_BYTES && bump->limit &&
         td_space_is_unused_slow(space, bump, address);
}

#endif
