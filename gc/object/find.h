/* SPDX-License-Identifier: MIT */
/* Questions about objects that mutators may ask between collections. */
#ifndef TD_GC_OBJECT_FIND_H
#define TD_GC_OBJECT_FIND_H

#include "gc/state/heap.h"
#include "gc/state/mutator.h"
#include "heap/space/find.h"

/* Returns the object that the address points at or into, 0 if none. Any address will do. Cells that
 * the program has freed count as objects until the next collection. */
uintptr_t td_object_find(struct tide_heap *heap, const void *address);

/* Returns the number of the run that the cells of a SMALL block are taken from. */
static inline uint32_t td_object_run(const struct td_block *block,
                                     const struct td_block_info *info) {
  return (uint32_t)block->layout * TIDE_BUMP_SLOTS + info->size_class;
}

/* Where an object lies. */
struct td_found {
  const struct td_block *block;
  const struct td_block_info *info;
  uint32_t run; /* number of the run that its cell was taken from, if the block is SMALL */
};
/* For td_object_look: an address inside the range that lies in no SMALL block. */
bool td_object_begins_apart(const struct td_space *space, uintptr_t object);
/* Does an object begin there that the program has not freed? Tells where it lies. The mutator's
 * thread asks, without the heap's lock, because entries of blocks in which objects of the program
 * lie do not change. */
static inline bool td_object_look(const struct tide_mutator *mutator, uintptr_t object,
                                  struct td_found *found) {
  const struct td_space *space = &mutator->heap->space;
  uint64_t granule = td_granule_of(space->base, object);
  if (granule >= space->granules) return false;
  uint32_t b = td_block_of_granule(granule);
  *found = (struct td_found){.block = &space->blocks[b], .info = &space->infos[b]};
  if (!TIDE_LIKELY(found->info->state == TD_BLOCK_SMALL))
    return td_object_begins_apart(space, object);
  found->run = td_object_run(found->block, found->info);
  /* Nothing but an object's first granule has such a byte: see [start]. */
  return td_holds_object(space, granule) &&
         !td_space_is_unused(space, &mutator->cache.runs[found->run], object) &&
         !td_cache_is_freed(object, (size_t)found->block->cell_granules << TD_GRANULE_LOG2);
}

/* A bit for each granule below the frontier, set where an object begins; NULL: no memory. World
 * stopped; the caller gives the pages back (gc/arrays/pages.h) before the world goes on. */
uint64_t *td_object_bitmap(const struct td_space *space);
/* Has the object that begins there a bit of those? Any word will do. */
static inline bool td_object_has_bit(const struct td_space *space, const uint64_t *bits,
                                     uintptr_t object) {
  uint64_t granule = td_granule_of(space->base, object);
  return granule < td_block_granule(space->frontier) && bits[granule / 64] >> (granule % 64) & 1;
}
static inline size_t td_object_bitmap_bytes(const struct td_space *space) {
  return ((size_t)space->frontier * TD_BLOCK_GRANULES / 64 + 1) * sizeof(uint64_t);
}

#endif
