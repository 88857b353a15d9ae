/* Objects that are kept alive until they are let go. */
#ifndef TD_GC_ROOTS_PIN_H
#define TD_GC_ROOTS_PIN_H

#include "gc/base/state.h"

/* Lets an object go. Returns false if it was not kept. */
bool td_pin_remove(struct tide_heap *heap, uintptr_t object);

#endif
