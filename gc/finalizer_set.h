/* Finalizers of which an object has one. */
#ifndef TD_GC_FINALIZER_SET_H
#define TD_GC_FINALIZER_SET_H

#include "gc/base/state.h"

/* Removes the object's, if it has one. */
void td_finalizer_set_forget(struct tide_heap *heap, uintptr_t object);

#endif
