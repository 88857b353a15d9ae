/* Where slabs come from: the system (heap/slabs.c, with heap/blocks.c), or a jemalloc arena inside
 * the heap's range (heap/jemalloc, by the build option TIDE_SLABS). What differs beside the pool
 * itself. */
#ifndef TD_HEAP_SLABS_H
#define TD_HEAP_SLABS_H

#include "heap/space.h"

/* Address space to reserve for a heap that wants so much. */
size_t td_slabs_range_bytes(size_t wanted);
/* The range is reserved, nothing in it committed. false: errno says why. */
bool td_slabs_open(struct td_space *space);
/* Before the range is released. */
void td_slabs_close(struct td_space *space);
/* Time passes: memory that nobody wanted for a while may go back to the system. After every
 * collection. */
void td_slabs_tick(struct td_space *space);
/* Memory from the system that is in no slab of the heap's. */
size_t td_slabs_cached_bytes(const struct td_space *space);

#endif
