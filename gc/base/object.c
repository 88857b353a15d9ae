/* Where objects begin. */
#include "gc/base/object.h"

#include "gc/base/inside.h"
#include "gc/base/pages.h"
#include "gc/base/thread.h"
#include "heap/alloc.h"
#include "heap/find.h"
#include "heap/walk.h"

/* What the asking thread has reserved for its own run is marked as allocated, but the rest of it
 * holds no objects yet. */
static bool in_unused_run(struct tide_heap *heap, uintptr_t object) {
  const struct tide_mutator *mutator = tide_current(heap);
  const struct td_space *space = &heap->space;
  if (!mutator || !mutator->runs) return false;
  uint32_t b = (uint32_t)((object - space->base) >> TD_BLOCK_LOG2);
  if (space->infos[b].state != TD_BLOCK_SMALL) return false;
  return td_space_is_unused(space,
                            &mutator->runs[(size_t)space->blocks[b].layout * TIDE_BUMP_SLOTS +
                                           space->infos[b].size_class],
                            object);
}

uintptr_t td_object_start(struct tide_heap *heap, const void *address) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  pthread_mutex_lock(&heap->space.lock); /* others may move the frontier */
  uintptr_t object = td_space_find_any(&heap->space, (uintptr_t)address);
  if (object && in_unused_run(heap, object)) object = 0;
  pthread_mutex_unlock(&heap->space.lock);
  return object;
}

struct bitmap {
  uint64_t *bits;
  uintptr_t base;
};

static bool note(uintptr_t object, size_t bytes, tide_layout layout, void *context) {
  (void)bytes, (void)layout;
  const struct bitmap *bitmap = context;
  uint64_t granule = td_granule_of(bitmap->base, object);
  bitmap->bits[granule / 64] |= (uint64_t)1 << (granule % 64);
  return true;
}

uint64_t *td_object_bitmap(const struct td_space *space) {
  struct bitmap bitmap = {td_pages_take(td_object_bitmap_bytes(space)), space->base};
  if (bitmap.bits) td_space_walk(space, note, &bitmap);
  return bitmap.bits;
}
