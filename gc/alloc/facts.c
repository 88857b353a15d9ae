/* SPDX-License-Identifier: MIT */
/* Questions of embedders about objects. */
#include "gc/check/caller/check.h"
#include "gc/object/find.h"
#include "gc/object/scan.h"
#include "gc/threads/inside.h"
#include "gc/threads/thread.h"
#include "heap/space/find.h"
#include "tide/foreign.h"

void *tide_object_find(struct tide_heap *heap, const void *address) {
  return heap ? (void *)td_object_find(heap, address) : NULL;
}

/* Without a mutator of its own a thread asks with the lock. */
static bool begins(struct tide_heap *heap, const void *object) {
  const struct tide_mutator *mutator = tide_current(heap);
  struct td_found found;
  return mutator && mutator->cache.runs ? td_object_look(mutator, (uintptr_t)object, &found)
                                        : td_object_find(heap, object) == (uintptr_t)object;
}

/* A collection that came between the look at an object's mark and at the epoch would have both tell
 * that there is no object. */
size_t tide_object_bytes(struct tide_heap *heap, const void *object) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap || !object || !begins(heap, object)) return 0;
  const struct td_space *space = &heap->space;
  uint32_t b = (uint32_t)(((uintptr_t)object - space->base) >> TD_BLOCK_LOG2);
  return td_block_object_bytes(&space->blocks[b], &space->infos[b]);
}

tide_layout tide_object_layout(struct tide_heap *heap, const void *object) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap || !object || !begins(heap, object)) return TIDE_LAYOUT_INVALID;
  return heap->space.blocks[((uintptr_t)object - heap->space.base) >> TD_BLOCK_LOG2].layout;
}

bool tide_object_is_live(struct tide_heap *heap, const void *object) {
  if (!heap || !td_inside_collection(heap)) return false;
  uintptr_t start = (uintptr_t)object;
  return td_space_find(&heap->space, start, TD_FROM_HEAP) == start &&
         td_object_is_marked(&heap->space, start);
}
