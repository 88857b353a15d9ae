/* SPDX-License-Identifier: MIT */
/* Asking the sources of roots, which tell them afresh in each collection. The caller holds the
 * world's lock. */
#ifndef TD_GC_ROOTS_SOURCE_H
#define TD_GC_ROOTS_SOURCE_H

#include "gc/arrays/root_list.h"
#include "gc/state/heap.h"

/* The world runs: asks the sources what there is. Returns false if there is no memory to remember
 * it. */
bool td_sources_before_stop(struct tide_heap *heap);

/* Calls `stop`, which stops the world, inside the functions of those sources that have one for it.
 * Returns false if one of them did not want it: what td_sources_before_stop heard holds no more. */
bool td_sources_stop(struct tide_heap *heap, void (*stop)(void *argument), void *argument);

/* World stopped: asks the sources for the rest. */
void td_sources_stopped(struct tide_heap *heap, td_root_list_take take, void *context);

#endif
