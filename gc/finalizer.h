/* Registered and pending finalizers. */
#ifndef TD_GC_FINALIZER_H
#define TD_GC_FINALIZER_H

#include "gc/base/state.h"

bool td_finalizers_init(struct td_finalizers *finalizers);
void td_finalizers_deinit(struct td_finalizers *finalizers);
/* Removes an object's finalizers. Returns how many. */
size_t td_finalizers_forget(struct tide_heap *heap, uintptr_t object);

#endif
