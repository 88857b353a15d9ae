/* Allocation of large objects. */
#ifndef TD_HEAP_LARGE_H
#define TD_HEAP_LARGE_H

#include "heap/space.h"

/* Returns a zeroed object that has blocks of its own, or NULL if the budget or memory is used up.
 * Every value of `bytes` is allowed. */
void *td_space_alloc_large(struct td_space *space, tide_layout layout, size_t bytes);

#endif
