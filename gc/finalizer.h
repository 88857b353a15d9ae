/* Registered and pending finalizers. */
#ifndef TD_GC_FINALIZER_H
#define TD_GC_FINALIZER_H

#include "gc/base/state.h"

bool td_finalizers_init(struct td_finalizers *finalizers);
void td_finalizers_deinit(struct td_finalizers *finalizers);

/* In a collection, finalizers' lock held: queues the dying objects whose turn it is and marks all
 * that they reach. Returns whether there were any. Allocates nothing that it cannot do without. */
bool td_finalizers_queue_dying(struct tide_heap *heap);

#endif
