/* SPDX-License-Identifier: MIT */
/* Finalizers of which an object has one, in a collection. The finalizers' lock is held. */
#ifndef TD_GC_FOREIGN_SETTLE_H
#define TD_GC_FOREIGN_SETTLE_H

#include "gc/state/heap.h"

/* Returns whether an unmarked object has such a finalizer. */
bool td_settle_needed(const struct tide_heap *heap);
/* Queues those whose turn it is, and marks what all unmarked ones reach. Allocates nothing. */
void td_settle(struct tide_heap *heap);
/* For a marking that comes after: reports what the objects that wait for their turn reach. */
void td_settle_report_waiting(struct tide_tracer *tracer, struct tide_heap *heap);

#endif
