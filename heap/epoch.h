/* SPDX-License-Identifier: MIT */
/* Epochs: how all objects become unmarked at once. */
#ifndef TD_HEAP_EPOCH_H
#define TD_HEAP_EPOCH_H

#include "heap/space/space.h"

/* Takes the next epoch: from here on every object counts as unmarked. The world is stopped, and all
 * runs are retired. */
void td_space_begin_marking(struct td_space *space);
/* The same when the program will go on meanwhile: what it allocates counts as marked. See [beside].
 * All objects are old, and those to come, unless td_young_bear_beside follows. */
void td_space_begin_marking_beside(struct td_space *space);

#endif
