/* Freeing and resizing single objects between collections. The caller knows that the address is the
 * start of an object that is not used any more. Small cells are not freed here: their mutator
 * keeps them for itself (gc/object/runs.h). */
#ifndef TD_HEAP_FREE_H
#define TD_HEAP_FREE_H

#include "heap/space.h"

/* The object begins a large object's extent: its blocks go back to the pool. */
void td_space_free_large(struct td_space *space, uintptr_t object);
/* Makes a large object longer or shorter where it is. What it gains is zeroed, blocks that it does
 * not need go back. Returns false if there is no room behind it, or none in the budget. */
bool td_space_resize_large(struct td_space *space, uintptr_t object, size_t bytes);

#endif
