/* SPDX-License-Identifier: MIT */
/* What the program is told of collections. */
#ifndef TD_BDWGC_THREADS_EVENTS_H
#define TD_BDWGC_THREADS_EVENTS_H

#include "bdwgc/heap.h"

void td_events_start(void);

/* From now on `call` runs in each collection when marking is over and weak references are done
 * with, under the stop. There is one such function. */
void td_events_on_weak_end(void (*call)(struct tide_heap *heap));

#endif
