/* Telling the program of what has died, before its memory is used again: see heap/withheld/dying.h.
 */
#ifndef TD_HEAP_RECLAIM_H
#define TD_HEAP_RECLAIM_H

#include "heap/space/space.h"

/* Takes one block that waits, calls the layout's function for each dying object in it, and gives
 * the block back. Returns false if none waits. Takes the lock, but not for the calls. The world
 * does not stop meanwhile. */
bool td_reclaim_block(struct td_space *space);
/* At the end of a space without mutators: calls the functions for all that there is. */
void td_reclaim_all(struct td_space *space);

#endif
