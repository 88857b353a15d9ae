/* Handles: precise roots of one mutator, in chunks that do not move. */
#ifndef TD_GC_MUTATOR_HANDLES_H
#define TD_GC_MUTATOR_HANDLES_H

#include "gc/base/state.h"

/* World stopped: emits a span for each chunk and each local root. */
void td_handles_emit(struct tide_heap *heap, const struct tide_mutator *mutator);
void td_handles_deinit(struct tide_mutator *mutator);

#endif
