/* SPDX-License-Identifier: MIT */
/* The next block to allocate small objects from. Only taking it needs the heap's lock, because the
 * block is the mutator's own from then on: see [owner] in heap/space/space.h. */
#ifndef TD_HEAP_CELLS_REFILL_H
#define TD_HEAP_CELLS_REFILL_H

#include "heap/space/space.h"

/* Moves the bump cache, which is used up, to the first run of another block of the layout whose
 * cells have `cell` bytes. They are zeroed unless the layout does without. The cache is the
 * caller's own: no other thread touches it. Returns how many bytes it covers now; 0 if there is no
 * room, and then *room says why, and the cache is as it was. */
size_t td_space_refill(struct td_space *space, struct tide_bump *bump, tide_layout layout,
                       size_t cell, enum td_room *room);

#endif
