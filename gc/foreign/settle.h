/* SPDX-License-Identifier: MIT */
/* Finalizers of which an object has one, in a collection. The finalizers' lock is held. */
#ifndef TD_GC_FOREIGN_SETTLE_H
#define TD_GC_FOREIGN_SETTLE_H

#include "gc/state/heap.h"

/* Returns whether an unmarked object has such a finalizer. */
bool td_settle_needed(const struct tide_heap *heap);
/* The steps, in their order: one takes place when all that the one before has found is marked. */
enum td_settling { TD_SETTLE_CONTENTS, TD_SETTLE_QUEUE, TD_SETTLE_UNREACHABLE, TD_SETTLED };
/* One of them. Marks what it finds with all that this reaches, or leaves that to the next phase if
 * the program runs beside it. Allocates nothing. */
void td_settle(struct tide_heap *heap, enum td_settling step);
/* For a marking that comes after: reports what the objects that wait for their turn reach. */
void td_settle_report_waiting(struct tide_tracer *tracer, struct tide_heap *heap);

#endif
