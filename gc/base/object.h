/* Questions about objects that mutators may ask between collections. */
#ifndef TD_GC_BASE_OBJECT_H
#define TD_GC_BASE_OBJECT_H

#include "gc/base/state.h"

/* The object that the address points at or into, 0 if none. */
uintptr_t td_object_start(struct tide_heap *heap, const void *address);

/* Does an object begin there that the program has not freed? Cheaper than the above on a thread
 * with a mutator of the heap. */
bool td_object_begins(struct tide_heap *heap, const void *address);
/* The same of that mutator's thread, without the heap's lock, because entries of blocks in which
 * somebody's objects lie do not change. */
bool td_object_begins_here(const struct tide_mutator *mutator, uintptr_t object);

/* Returns the number of the run that the cell of a small object was taken from. */
static inline uint32_t td_object_run(const struct td_space *space, uintptr_t object) {
  size_t b = (object - space->base) >> TD_BLOCK_LOG2;
  return (uint32_t)space->blocks[b].layout * TIDE_BUMP_SLOTS + space->infos[b].size_class;
}

/* A bit for each granule below the frontier, set where an object begins; NULL: no memory. World
 * stopped; the caller gives the pages back (gc/base/pages.h) before the world goes on. */
uint64_t *td_object_bitmap(const struct td_space *space);
static inline size_t td_object_bitmap_bytes(const struct td_space *space) {
  return ((size_t)space->frontier * TD_BLOCK_GRANULES / 64 + 1) * sizeof(uint64_t);
}

#endif
