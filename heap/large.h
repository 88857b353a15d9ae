/* Allocation of large objects. */
#ifndef TD_HEAP_LARGE_H
#define TD_HEAP_LARGE_H

#include "heap/space.h"

/* Returns an object, zeroed unless its layout does without, that has an extent of its own, or NULL;
 * then *room says why. Every value of `bytes` is allowed. */
void *td_space_alloc_large(struct td_space *space, tide_layout layout, size_t bytes,
                           enum td_room *room);

#endif
