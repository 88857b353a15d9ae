/* SPDX-License-Identifier: MIT */
/* Large objects: those of over half a block that have an extent of their own. */
#ifndef TD_HEAP_CELLS_LARGE_H
#define TD_HEAP_CELLS_LARGE_H

#include "heap/space/space.h"

/* Returns an object, zeroed unless its layout does without, that has an extent of its own, or NULL;
 * then *room says why. Every value of `bytes` is allowed. */
void *td_space_alloc_large(struct td_space *space, tide_layout layout, size_t bytes,
                           enum td_room *room);

/* ---- Between collections, of an object that the caller holds ---- */

/* The object begins a large object's extent: its blocks go back to the pool. */
void td_space_free_large(struct td_space *space, uintptr_t object);
/* Makes a large object longer or shorter where it is. What it gains is zeroed, blocks that it does
 * not need go back. Returns false if there is no room behind it, or none in the budget. */
bool td_space_resize_large(struct td_space *space, uintptr_t object, size_t bytes);

#endif
