/* What a collection finds on the stacks of a mutator. */
#ifndef TD_GC_MUTATOR_STACKS_H
#define TD_GC_MUTATOR_STACKS_H

#include "gc/base/sink.h"
#include "gc/base/state.h"

/* World stopped: copies the candidate words of this mutator's stacks to the sink. */
void td_stacks_emit(const struct tide_mutator *mutator, struct td_root_sink *sink);

#endif
