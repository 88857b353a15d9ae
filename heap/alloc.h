/* Allocation of small objects: runs of free cells for a mutator's bump cache. */
#ifndef TD_HEAP_ALLOC_H
#define TD_HEAP_ALLOC_H

#include "heap/run.h"

/* Moves the bump cache on to cells of the class, wherever there are some. They are zeroed unless
 * the layout does without. The cache is the caller's own: no other thread touches it. Returns how
 * many bytes it covers now; 0 if there is no room, and then *room says why. */
size_t td_space_refill(struct td_space *space, struct tide_bump *bump, tide_layout layout,
                       unsigned size_class, enum td_room *room);
/* World stopped: the piece does not count as objects, but its block stays. Does nothing for an
 * empty cache. */
void td_space_hold(struct td_space *space, struct tide_bump *bump);
/* Before the owner goes on: the piece is the owner's again. */
void td_space_hand_back(struct td_space *space, const struct tide_bump *bump);

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
