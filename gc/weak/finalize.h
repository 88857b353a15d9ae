/* In a collection: dying objects whose turn it is go to the queue of pending finalizers. */
#ifndef TD_GC_WEAK_FINALIZE_H
#define TD_GC_WEAK_FINALIZE_H

#include "gc/state/heap.h"

/* After td_order_dying found some, the finalizers' lock held: queues them and marks all that they
 * reach. Allocates nothing. */
void td_finalize_queue_dying(struct tide_heap *heap);

#endif
