/* The stacks of a mutator: its thread's own, and those registered for fibers. */
#ifndef TD_GC_THREADS_MUTATOR_FIBER_H
#define TD_GC_THREADS_MUTATOR_FIBER_H

#include "gc/state/heap.h"

/* Describes the calling thread's own stack. Returns false if the system does not tell its bounds.
 */
bool td_fibers_open(struct tide_mutator *mutator);
/* Forgets registered stacks. */
void td_fibers_close(struct tide_mutator *mutator);

#endif
