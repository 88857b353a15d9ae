/* SPDX-License-Identifier: MIT */
/* The write barrier: what inlined code looks at, and what it calls. */
#ifndef TD_GC_THREADS_MUTATOR_BARRIER_H
#define TD_GC_THREADS_MUTATOR_BARRIER_H

#include "gc/state/heap.h"

/* While the mutator is being attached: lets tide_write see the marks of its heap if that collects
 * young objects. */
void td_barrier_open(struct tide_mutator *mutator);
/* Lets it see nothing, for good. */
void td_barrier_close(struct tide_mutator *mutator);
/* The mutator has got a reference that may be the last one to its object, out of something weak: if
 * a collection marks beside the program, the object lives on. NULL is allowed. */
void td_barrier_keep(struct tide_mutator *mutator, const void *object);
/* World stopped: the heap has begun to collect young objects, or has ceased to. */
void td_barrier_switch(struct tide_mutator *mutator);

#endif
