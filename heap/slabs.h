/* The source of slabs: the system (heap/slabs.c with heap/blocks.c), or a jemalloc arena inside the
 * space's range (heap/jemalloc, by the build option TIDE_SLABS). This is what differs between them
 * besides the pool of blocks. */
#ifndef TD_HEAP_SLABS_H
#define TD_HEAP_SLABS_H

#include "heap/space.h"

/* Returns how much address space to reserve for a space that wants so much. */
size_t td_slabs_range_bytes(size_t wanted);
/* Sets up the source. The range is reserved, and nothing in it is committed. Returns false with
 * errno set if that fails. */
bool td_slabs_open(struct td_space *space);
/* Ends the source, before the range is released. */
void td_slabs_close(struct td_space *space);
/* Gives memory back to the system that nobody wanted for a while. Called after every collection. */
void td_slabs_tick(struct td_space *space);
/* Returns the bytes that the source has from the system and that are in none of the space's slabs.
 */
size_t td_slabs_cached_bytes(const struct td_space *space);

#endif
