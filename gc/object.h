/* Questions about objects that mutators may ask between collections. */
#ifndef TD_GC_OBJECT_H
#define TD_GC_OBJECT_H

#include "gc/gc.h"

/* The object that the address points at or into, 0 if none. */
uintptr_t td_object_start(struct tide_heap *heap, const void *address);

#endif
