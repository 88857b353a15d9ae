/* SPDX-License-Identifier: MIT */
/* What lies at an address, for people who debug. */
#ifndef TD_GC_CHECK_DESCRIBE_H
#define TD_GC_CHECK_DESCRIBE_H

#include "gc/state/heap.h"

/* A heap with a quarantine was made or ends; *heaps is the first of those there are. As long as one
 * of them has a quarantine, a thread that faults because it used what a reclaimed object is full of
 * says so first. Under the lock of the list. */
void td_describe_faults(struct tide_heap *const *heaps);

#endif
