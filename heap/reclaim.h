/* SPDX-License-Identifier: MIT */
/* Telling the program of what has died, before its memory is used again: see heap/withheld/dying.h.
 */
#ifndef TD_HEAP_RECLAIM_H
#define TD_HEAP_RECLAIM_H

#include "heap/space/space.h"

/* Takes a block that waits, from any mutator. Returns 0 if none waits. */
uint32_t td_reclaim_begin(struct td_space *space);
/* Calls the layout's function for each dying object of the block. Takes no lock, and the world may
 * be stopped meanwhile. */
void td_reclaim_tell(struct td_space *space, uint32_t block);
/* The world is not stopped meanwhile. Gives the block back. Returns false if there is more to tell
 * instead, because a collection has come. */
bool td_reclaim_end(struct td_space *space, uint32_t block);
/* In the child of a fork: the threads that were telling are gone. What they had not told yet waits
 * again, but for the object that a function had in hand. */
void td_reclaim_after_fork(struct td_space *space);
/* At the end of a space without mutators: calls the functions for all that there is. */
void td_reclaim_all(struct td_space *space);

#endif
