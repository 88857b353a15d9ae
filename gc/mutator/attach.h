/* The mutators of a heap: what fork and the end of a heap do to them. */
#ifndef TD_GC_MUTATOR_ATTACH_H
#define TD_GC_MUTATOR_ATTACH_H

#include "gc/base/state.h"

/* Fork, in the child: removes every mutator of the heap but `keep`. The world is stopped. */
void td_mutators_drop_others(struct tide_heap *heap, struct tide_mutator *keep);

/* At the end of a heap: frees what was kept for the next mutators. */
void td_mutators_free_pools(struct tide_heap *heap);

#endif
