/* What happens between the end of marking from roots and sweeping, in this order:
 *   1  weak references of kind BEFORE to unmarked objects are cleared
 *   2  dying objects with finalizers are found; if there are any, weak references of kind BEFORE
 *      that are not marked themselves are cleared too unless their target is marked: some may be
 *      reached from now on, by whatever way; those objects whose turn it is are queued
 *      (gc/cycle/order.h); all of them are marked with what they reach
 *   3  ephemerons are closed once more, then emptied where the key stays unmarked
 *   4  weak references of kind AFTER to unmarked objects are cleared */
#ifndef TD_GC_CYCLE_RECLAIM_H
#define TD_GC_CYCLE_RECLAIM_H

#include "gc/base/state.h"

void td_weak_process(struct tide_heap *heap);
/* The second half of 2's first sentence. Before anything that dies is marked. */
void td_weak_clear_dying(struct tide_heap *heap);

#endif
