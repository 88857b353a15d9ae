/* What is special about collections of young objects. */
#ifndef TD_GC_CYCLE_YOUNG_H
#define TD_GC_CYCLE_YOUNG_H

#include "gc/base/state.h"

/* After td_mark_begin: marks what logged slots of arrays lead to, and leaves logged objects to the
 * markers of the next phase. */
void td_young_mark_logged(struct tide_heap *heap);

/* After any collection: says when the next young one is due. It took so long. */
void td_young_plan(struct tide_heap *heap, uint64_t collect_ns);
/* Should the collection that is due be a full one? Under the world's lock. */
bool td_young_is_unwise(struct tide_heap *heap);

#endif
