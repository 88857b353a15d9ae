/* SPDX-License-Identifier: MIT */
/* Checking a collection's result against an independent serial marking. */
#ifndef TD_GC_CHECK_VERIFY_H
#define TD_GC_CHECK_VERIFY_H

#include "gc/state/heap.h"

/* In a collection, after sorting: checks the heap's structures and the marks; a fault is told on
 * stderr and ends the process. */
void td_verify_or_abort(struct tide_heap *heap);
/* Before that collection's marking, which takes for an object what a reference names: reads all
 * registered roots, follows all references, and ends the process in the same way if one is to what
 * was reclaimed, or was stored without tide_write, or if what was reclaimed was written to. */
void td_verify_begin(struct tide_heap *heap);
/* The same after a young collection beside a full one, whose marks say nothing yet. */
void td_verify_references_or_abort(struct tide_heap *heap);
/* World stopped, the locks of roots and finalizers held: compares the marks. Returns false if there
 * is no memory for it. */
bool td_verify_marks(struct tide_heap *heap, struct tide_check *result);

#endif
