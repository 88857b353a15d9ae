/* Creating a space: the reservation and the side tables. */
#ifndef TD_HEAP_CREATE_H
#define TD_HEAP_CREATE_H

#include "heap/space.h"

/* Reserves reserve_bytes of address space, or half as much until the system agrees, down to
 * 64 MiB. max_bytes is the hard limit of what objects may use. Returns false with `error` set
 * (NULL is allowed) if there is no room; then the space is all zero. */
bool td_space_init(struct td_space *space, size_t reserve_bytes, size_t max_bytes,
                   struct tide_error *error);
/* All objects are gone. Does nothing for a space that is all zero. */
void td_space_deinit(struct td_space *space);

#endif
