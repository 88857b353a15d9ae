/* Where objects begin. */
#include "gc/base/object.h"

#include "gc/base/inside.h"
#include "gc/base/pages.h"
#include "gc/base/thread.h"
#include "heap/walk.h"

static uint32_t block_at(const struct td_space *space, uintptr_t object) {
  return (uint32_t)((object - space->base) >> TD_BLOCK_LOG2);
}

/* What the asking thread has reserved for its own run is marked as allocated, but the rest of it
 * holds no objects yet. `object` begins in a SMALL block. */
static bool in_unused_run(const struct tide_mutator *mutator, uintptr_t object) {
  const struct td_space *space = &mutator->heap->space;
  uint32_t b = block_at(space, object), run = td_object_run(&space->blocks[b], &space->infos[b]);
  return td_space_is_unused(space, &mutator->runs[run], object);
}

bool td_object_begins_apart(const struct td_space *space, uintptr_t object) {
  return space->infos[block_at(space, object)].state != TD_BLOCK_FREE &&
         td_space_cell_in_use(space, object) == object &&
         td_holds_object(space, td_granule_of(space->base, object));
}

bool td_object_begins_here(const struct tide_mutator *mutator, uintptr_t object) {
  struct td_found found;
  return td_object_look_here(mutator, object, &found);
}

bool td_object_begins(struct tide_heap *heap, const void *address) {
  const struct tide_mutator *mutator = tide_current(heap);
  return mutator && mutator->runs ? td_object_begins_here(mutator, (uintptr_t)address)
                                  : td_object_start(heap, address) == (uintptr_t)address;
}

static __attribute__((noinline)) uintptr_t find_locked(struct tide_heap *heap, uintptr_t address) {
  pthread_mutex_lock(&heap->space.lock); /* others may move the frontier */
  uintptr_t object = td_space_find_any(&heap->space, address);
  pthread_mutex_unlock(&heap->space.lock);
  return object;
}

/* May objects of the heap be looked for without the lock? No collection comes between where a
 * mutator holds stops off. */
static bool may_look(const struct tide_mutator *mutator) {
  return mutator && mutator->runs && !mutator->blocking_depth;
}

uintptr_t td_object_start(struct tide_heap *heap, const void *address) {
  const struct td_space *space = &heap->space;
  uintptr_t at = (uintptr_t)address;
  if (at - space->base >= space->reserved_bytes) return 0;
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  const struct tide_mutator *mutator = tide_current(heap);
  uint8_t state = may_look(mutator) ? td_space_state_at(space, at) : TD_BLOCK_TAIL;
  if (state == TD_BLOCK_FREE) return 0;
  if (state != TD_BLOCK_SMALL) {
    uintptr_t object = find_locked(heap, at);
    bool is_small = object && space->infos[block_at(space, object)].state == TD_BLOCK_SMALL;
    return is_small && mutator && mutator->runs && in_unused_run(mutator, object) ? 0 : object;
  }
  uintptr_t cell = td_space_cell_of_small(space, block_at(space, at), at);
  if (!cell || !td_holds_object(space, td_granule_of(space->base, cell))) return 0;
  return in_unused_run(mutator, cell) ? 0 : cell;
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
