/* The write barrier: what inlined code looks at, and what it calls. */
#ifndef TD_GC_MUTATOR_BARRIER_H
#define TD_GC_MUTATOR_BARRIER_H

#include "gc/base/state.h"

/* Lets tide_write see the marks of the mutator's heap if that collects young objects. */
void td_barrier_open(struct tide_mutator *mutator);
/* Lets it see nothing. */
void td_barrier_close(struct tide_mutator *mutator);

#endif
