/* SPDX-License-Identifier: MIT */
/* The check of a space's structures against each other. */
#ifndef TD_HEAP_CHECK_H
#define TD_HEAP_CHECK_H

#include "heap/space/space.h"

/* Returns false if a structure is damaged; `error` (NULL is allowed) then names the block and what
 * is wrong with it. The world is stopped. */
bool td_space_check(struct td_space *space, struct tide_error *error);

#endif
