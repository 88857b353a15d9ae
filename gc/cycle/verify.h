/* Checking a collection's result against an independent serial marking. */
#ifndef TD_GC_CYCLE_VERIFY_H
#define TD_GC_CYCLE_VERIFY_H

#include "gc/base/state.h"

/* In a collection, after sorting: checks the heap's structures and the marks; a fault is told on
 * stderr and ends the process. */
void td_verify_or_abort(struct tide_heap *heap);
/* Before that collection's marking: remembers where objects are, so that a reference to one that
 * was reclaimed earlier is told from others. */
void td_verify_begin(struct tide_heap *heap);

#endif
