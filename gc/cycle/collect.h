/* One collection, from the wish to the resumed world. */
#ifndef TD_GC_CYCLE_COLLECT_H
#define TD_GC_CYCLE_COLLECT_H

#include "gc/base/state.h"

/* Collects, unless another thread has done so since *cycles was `seen`. Returns whether this
 * thread did. */
bool td_collect_unless(struct tide_mutator *mutator, uint64_t seen);
/* Raises the budget by what `blocks` more need; false: the hard limit is reached. */
bool td_collect_grow_budget(struct tide_heap *heap, uint32_t blocks);

/* Stops the world and calls run, all runs of all mutators retired; for walks and checks. The
 * mutator may not be inside a collection or a blocking region: TIDE_ERROR_STATE. */
enum tide_status td_with_world_stopped(struct tide_mutator *mutator, const char *function,
                                       void (*run)(struct tide_mutator *, void *), void *argument);
/* The same, after a collection in the same stop: the heap holds what that marked, nothing else. */
enum tide_status td_collect_and(struct tide_mutator *mutator, const char *function,
                                void (*run)(struct tide_mutator *, void *), void *argument);

#endif
