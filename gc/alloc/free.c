/* SPDX-License-Identifier: MIT */
/* Single objects: looking at them, freeing and resizing them. */
#include <string.h>

#include "gc/check/caller/check.h"
#include "gc/foreign/weak_slots.h"
#include "gc/object/find.h"
#include "gc/object/scan.h"
#include "gc/roots/pin.h"
#include "gc/state/error.h"
#include "gc/threads/inside.h"
#include "gc/threads/mutator/written.h"
#include "gc/weak/finalizers.h"
#include "heap/cells/large.h"
#include "heap/cells/medium.h"
#include "heap/cells/sort.h"
#include "heap/space/find.h"
#include "heap/withheld/quarantine.h"
#include "heap/young/log.h"
#include "heap/young/young.h"
#include "tide/dropin.h"
#include "tide/foreign.h"

/* The run hands the cell out once more, which counts as it does for cells in the lists. An old one
 * is logged now: what the program stores into it first needs no barrier. */
static inline __attribute__((always_inline)) bool
take_back(struct tide_mutator *mutator, uint32_t index, uintptr_t object, size_t bytes) {
  struct tide_bump *run = &mutator->cache.runs[index];
  uintptr_t block = ~(uintptr_t)(TD_BLOCK_BYTES - 1);
  if (object + bytes != run->next || ((run->limit - 1) & block) != (object & block)) return false;
  memset((void *)object, 0, bytes);
  struct td_space *space = &mutator->heap->space;
  if (__builtin_expect(td_young_are_born(space), 0)) td_log_fresh_if_old(space, object);
  run->next = object;
  mutator->cache.handed_out += bytes;
  return true;
}

/* A collection goes on beside the program. It looks into what the object refers to, and into the
 * tables that tell of its block. So the object is not freed, but left to the next collection. */
static bool is_put_off(const struct tide_heap *heap) {
  return heap->beside || td_sort_is_behind(&heap->space);
}

/* Nothing of ours that goes by the object's address shall meet its successor. */
static void forget(struct tide_heap *heap, uintptr_t object, size_t bytes) {
  td_weak_slots_forget(heap, object, bytes);
  td_finalizers_freed(heap->finalizers, object);
  (void)td_pin_remove(heap, object); /* most are not pinned */
}

enum tide_status tide_free(struct tide_mutator *mutator, void *object) {
  if (!td_mutator_may_act(mutator, "tide_free")) return td_refusal(mutator);
  if (!object) return TIDE_OK;
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct td_space *space = &mutator->heap->space;
  uintptr_t at = (uintptr_t)object;
  struct td_found found;
  if (!TIDE_LIKELY(td_object_look(mutator, at, &found))) {
    td_misuse("tide_free: %p is no object of this heap, or was freed already", object);
    return TIDE_ERROR_ARGUMENT;
  }
  size_t bytes = td_block_object_bytes(found.block, found.info);
  forget(mutator->heap, at, bytes);
  /* Until the cell is used again it may count as an object, and die. */
  if (space->layouts.at[found.block->layout].on_reclaim) td_overwritten_erase(mutator, at, 0);
  if (!TIDE_LIKELY(!is_put_off(mutator->heap))) return TIDE_OK;
  uint8_t state = found.info->state;
  mutator->freed_bytes += bytes;
  if (td_quarantine_take(space, at)) return TIDE_OK;
  if (TIDE_LIKELY(state == TD_BLOCK_SMALL)) {
    if (!take_back(mutator, found.run, at, bytes)) td_cache_put(&mutator->cache, found.run, at);
  } else if (state == TD_BLOCK_LARGE) {
    td_space_free_large(space, at);
  } else {
    td_space_free_medium(space, at);
  }
  return TIDE_OK;
}

static void *move_small(struct tide_mutator *mutator, uintptr_t object, size_t bytes) {
  struct tide_heap *heap = mutator->heap;
  struct td_found found;
  if (!td_object_look(mutator, object, &found)) return NULL;
  size_t before = td_block_object_bytes(found.block, found.info);
  bool stays =
      bytes <= before && (bytes >= before / 2 || td_class_bytes(td_class_of(bytes)) == before);
  if (stays || found.info->state != TD_BLOCK_SMALL) return NULL;
  void *moved =
      td_cache_take(&heap->space, &mutator->cache, found.block->layout, bytes ? bytes : 1, NULL);
  if (!moved) return NULL;
  memcpy(moved, (const void *)object, bytes < before ? bytes : before);
  forget(heap, object, before);
  mutator->freed_bytes += before;
  if (!take_back(mutator, found.run, object, before))
    td_cache_put(&mutator->cache, found.run, object);
  return moved;
}

void *tide_object_replace(struct tide_mutator *mutator, void *object, size_t bytes) {
  if (!td_mutator_may_act(mutator, "tide_object_replace") || bytes > TIDE_BUMP_INLINE_BYTES)
    return NULL;
  struct tide_heap *heap = mutator->heap;
  if (is_put_off(heap) || heap->stress || heap->space.has_quarantine || heap->space.has_poison ||
      td_pin_has(heap, (uintptr_t)object))
    return NULL;
  td_allocation_begin(mutator);
  void *moved = move_small(mutator, (uintptr_t)object, bytes);
  td_allocation_end(mutator);
  return moved;
}

bool tide_resize_in_place(struct tide_mutator *mutator, void *object, size_t bytes) {
  if (!td_mutator_may_act(mutator, "tide_resize_in_place") || !object) return false;
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct td_space *space = &mutator->heap->space;
  uintptr_t at = (uintptr_t)object;
  struct td_found found;
  if (bytes == 0) bytes = 1;
  if (!td_object_look(mutator, at, &found)) return false;
  size_t before = td_block_object_bytes(found.block, found.info);
  if (found.info->state != TD_BLOCK_LARGE) return bytes <= before;
  if (is_put_off(mutator->heap)) {
    if (bytes < before) td_overwritten_erase(mutator, at, bytes);
    return bytes <= before;
  }
  if (bytes > PTRDIFF_MAX - TD_BLOCK_BYTES ||
      !td_layout_fits(&space->layouts.at[found.block->layout], bytes))
    return false;
  size_t kept = (bytes + TD_GRANULE_BYTES - 1) & ~(TD_GRANULE_BYTES - 1);
  /* First, for another thread may get what is given back. To shrink never fails. */
  if (kept < before) td_weak_slots_forget(mutator->heap, at + kept, before - kept);
  if (!td_space_resize_large(space, at, bytes)) return false;
  if (kept > before) mutator->cache.handed_out += kept - before;
  return true;
}

/* ---- Questions ---- */

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
  return td_space_object_bytes(&heap->space, (uintptr_t)object);
}

tide_layout tide_object_layout(struct tide_heap *heap, const void *object) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap || !object || !begins(heap, object)) return TIDE_LAYOUT_INVALID;
  return heap->space.blocks[td_block_of(&heap->space, (uintptr_t)object)].layout;
}

bool tide_object_is_live(struct tide_heap *heap, const void *object) {
  if (!heap || !td_inside_collection(heap)) return false;
  uintptr_t start = (uintptr_t)object;
  return td_space_find(&heap->space, start, TD_FROM_HEAP) == start &&
         td_object_is_marked(&heap->space, start);
}

/* Stops are held off as in tide_object_bytes. */
bool tide_object_look(struct tide_mutator *mutator, const void *object,
                      struct tide_object_facts *facts) {
  if (!td_mutator_may_act(mutator, "tide_object_look") || !object || !facts) return false;
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct td_found found;
  if (!td_object_look(mutator, (uintptr_t)object, &found)) return false;
  facts->bytes = td_block_object_bytes(found.block, found.info);
  facts->layout = found.block->layout;
  facts->may_grow = found.info->state == TD_BLOCK_LARGE;
  facts->pinned = td_pin_has(mutator->heap, (uintptr_t)object);
  return true;
}
