/* Visiting every object of a space. */
#ifndef TD_HEAP_WALK_H
#define TD_HEAP_WALK_H

#include "heap/space/space.h"

/* Returns whether to go on. */
typedef bool (*td_space_visit)(uintptr_t object, size_t bytes, tide_layout layout, void *context);
/* Visits each object in the order of addresses until `visit` returns false. The world is stopped.
 */
void td_space_walk(const struct td_space *space, td_space_visit visit, void *context);

#endif
