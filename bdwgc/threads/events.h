/* SPDX-License-Identifier: MIT */
/* What the program is told of collections. */
#ifndef TD_BDWGC_THREADS_EVENTS_H
#define TD_BDWGC_THREADS_EVENTS_H

#include "bdwgc/heap.h"

/* A collection has stopped the world: only its callbacks run. They read it, or who was stopped. */
extern TD_HIDDEN bool td_events_stopped;

void td_events_start(void);

/* From now on `stopped` runs in each collection when marking is over and weak references are done
 * with, under the stop, and `then` when the others go on and no collection can begin yet. */
void td_events_on_reclaim(void (*stopped)(struct tide_heap *heap), void (*then)(void));

#endif
