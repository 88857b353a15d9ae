/* SPDX-License-Identifier: MIT */
/* What lies at an address, for people who debug. */
#ifndef TD_GC_CHECK_DESCRIBE_H
#define TD_GC_CHECK_DESCRIBE_H

#include "gc/state/heap.h"

/* From now on, until it is forgotten, a thread that faults because it used what a reclaimed object
 * of the heap is full of says so first. For heaps with a quarantine. */
void td_describe_faults(struct tide_heap *heap);
/* Does nothing for a heap that was not watched. */
void td_describe_no_faults(struct tide_heap *heap);

#endif
