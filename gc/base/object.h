/* Questions about objects that mutators may ask between collections. */
#ifndef TD_GC_BASE_OBJECT_H
#define TD_GC_BASE_OBJECT_H

#include "gc/base/state.h"

/* The object that the address points at or into, 0 if none. */
uintptr_t td_object_start(struct tide_heap *heap, const void *address);

/* A bit for each granule below the frontier, set where an object begins; NULL: no memory. World
 * stopped; the caller gives the pages back (gc/base/pages.h) before the world goes on. */
uint64_t *td_object_bitmap(const struct td_space *space);
static inline size_t td_object_bitmap_bytes(const struct td_space *space) {
  return ((size_t)space->frontier * TD_BLOCK_GRANULES / 64 + 1) * sizeof(uint64_t);
}

#endif
