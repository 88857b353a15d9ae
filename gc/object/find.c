/* SPDX-License-Identifier: MIT */
/* Where objects begin. */
#include "gc/object/find.h"

#include "gc/arrays/pages.h"
#include "gc/threads/inside.h"
#include "gc/threads/thread.h"
#include "heap/space/walk.h"
#include "tide/dropin.h"

/* What the asking thread has reserved for its own run is marked as allocated, but the rest of it
 * holds no objects yet. `object` begins in a SMALL block. */
static bool in_unused_run(const struct tide_mutator *mutator, uintptr_t object) {
  const struct td_space *space = &mutator->heap->space;
  uint32_t b = td_block_of(space, object), run = td_object_run(&space->blocks[b], &space->infos[b]);
  return td_space_is_unused(space, &mutator->cache.runs[run], object);
}

bool td_object_begins_apart(const struct td_space *space, uintptr_t object) {
  return space->infos[td_block_of(space, object)].state != TD_BLOCK_FREE &&
         td_space_cell(space, object) == object &&
         td_holds_object(space, td_granule_of(space->base, object));
}

/* ---- Looking while stops are held off, and with the lock where it takes one ---- */

/* May objects of the heap be looked for without the lock? No collection comes between where a
 * mutator holds stops off. */
static inline bool may_look(const struct tide_mutator *mutator) {
  return mutator && mutator->cache.runs && !mutator->blocking_depth;
}

static uint8_t state_for(const struct tide_mutator *mutator, const struct td_space *space,
                         uintptr_t address) {
  return may_look(mutator) ? td_space_state_at(space, address) : TD_BLOCK_TAIL;
}

/* Others may move the frontier, or take and give back extents. */
static uintptr_t find_locked(struct tide_heap *heap, uintptr_t address) {
  pthread_mutex_lock(&heap->space.lock);
  uintptr_t object = td_space_find(&heap->space, address, TD_FROM_ANYWHERE);
  pthread_mutex_unlock(&heap->space.lock);
  return object;
}

static __attribute__((noinline)) uintptr_t find(struct tide_heap *heap, uintptr_t address) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  const struct td_space *space = &heap->space;
  const struct tide_mutator *mutator = tide_current(heap);
  uint8_t state = state_for(mutator, space, address);
  if (state == TD_BLOCK_FREE) return 0;
  if (state != TD_BLOCK_SMALL) {
    uintptr_t object = find_locked(heap, address);
    bool is_small = object && space->infos[td_block_of(space, object)].state == TD_BLOCK_SMALL;
    return is_small && mutator && mutator->cache.runs && in_unused_run(mutator, object) ? 0
                                                                                        : object;
  }
  uintptr_t cell = td_space_cell_of_small(space, td_block_of(space, address), address);
  if (!cell || !td_holds_object(space, td_granule_of(space->base, cell))) return 0;
  return in_unused_run(mutator, cell) ? 0 : cell;
}

static uintptr_t cell_locked(struct tide_heap *heap, uintptr_t address, size_t *bytes) {
  pthread_mutex_lock(&heap->space.lock);
  uintptr_t cell = td_space_cell(&heap->space, address);
  if (cell) *bytes = td_space_object_bytes(&heap->space, cell);
  pthread_mutex_unlock(&heap->space.lock);
  return cell;
}

/* Does an extent begin there? Of a large object that the program uses that changes only by the
 * program's own order. */
static bool extent_begins(const struct td_space *space, uintptr_t address, size_t *bytes) {
  const struct td_block_info *info = &space->infos[td_block_of(space, address)];
  if (address % TD_BLOCK_BYTES != 0) return false;
  /* relaxed: see above; of another it is what it was at some moment. */
  *bytes = __atomic_load_n(&info->large_bytes, __ATOMIC_RELAXED);
  return *bytes > 0;
}

static __attribute__((noinline)) void *find_cell(struct tide_heap *heap, uintptr_t address,
                                                 size_t *bytes) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  const struct td_space *space = &heap->space;
  const struct tide_mutator *mutator = tide_current(heap);
  uint8_t state = state_for(mutator, space, address);
  uint32_t b = td_block_of(space, address);
  size_t found_bytes = 0;
  uintptr_t cell = 0;
  if (state == TD_BLOCK_SMALL) {
    cell = td_space_cell_of_small(space, b, address);
    found_bytes = td_block_object_bytes(&space->blocks[b], &space->infos[b]);
  } else if (state == TD_BLOCK_LARGE && extent_begins(space, address, &found_bytes)) {
    cell = address;
  } else if (state != TD_BLOCK_FREE) {
    cell = cell_locked(heap, address, &found_bytes);
  }
  if (cell && bytes) *bytes = found_bytes;
  return (void *)cell;
}

/* ---- The same for cells on a thread with one heap, which is what most calls come to ---- */

static inline const struct tide_mutator *looking(const struct tide_heap *heap) {
  const struct tide_mutator *mutator = td_self()->mutators;
  return TIDE_LIKELY(mutator && mutator->heap == heap && may_look(mutator)) ? mutator : NULL;
}

/* Returns a number that is another one after the thread was stopped. So what it has read between
 * two calls that return the same was all read between the same two stops: no collection has sorted
 * blocks, changed the epoch or retired runs meanwhile. Asking twice takes less than to hold stops
 * off. */
static inline uint32_t stops_seen(const struct tide_mutator *mutator) {
  atomic_signal_fence(memory_order_seq_cst);
  /* relaxed: a thread that stands still has itself read the state that made it, and what comes
   * after in its order reads no older one. */
  uint32_t seen = atomic_load_explicit(&mutator->state, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst);
  return seen;
}

/* What a thread with one heap sees of the block that an address of that heap's range lies in. */
struct sight {
  const struct tide_mutator *mutator;
  uint32_t block, stops;
  uint8_t state; /* TAIL where it has to look the other way */
};

static inline struct sight sight_of(const struct tide_heap *heap, uintptr_t address) {
  const struct tide_mutator *mutator = looking(heap);
  if (!mutator) return (struct sight){.state = TD_BLOCK_TAIL};
  struct sight s = {.mutator = mutator, .block = td_block_of(&heap->space, address)};
  s.stops = stops_seen(mutator);
  s.state = td_space_state_at(&heap->space, address);
  return s;
}

/* Was the thread not stopped since? */
static inline bool holds_still(const struct sight *s) {
  return TIDE_LIKELY(stops_seen(s->mutator) == s->stops);
}

uintptr_t td_object_find(struct tide_heap *heap, const void *address) {
  const struct td_space *space = &heap->space;
  uintptr_t at = (uintptr_t)address;
  if (at - space->base >= space->reserved_bytes) return 0;
  struct sight s = sight_of(heap, at);
  if (s.state == TD_BLOCK_FREE) return 0;
  if (s.state != TD_BLOCK_SMALL) return find(heap, at);
  uintptr_t cell = td_space_cell_of_small(space, s.block, at);
  unsigned number = td_object_run(&space->blocks[s.block], &space->infos[s.block]);
  bool taken = cell && td_holds_object(space, td_granule_of(space->base, cell));
  /* It may be an unused one of that run. */
  bool near_run = cell - s.mutator->cache.runs[number].next < TD_BLOCK_BYTES;
  if (near_run || !holds_still(&s)) return find(heap, at);
  return taken ? cell : 0;
}

void *tide_cell_find(struct tide_heap *heap, const void *address, size_t *bytes) {
  uintptr_t at = (uintptr_t)address;
  if (!heap || at - heap->space.base >= heap->space.reserved_bytes) return NULL;
  struct sight s = sight_of(heap, at);
  if (s.state == TD_BLOCK_FREE) return NULL;
  if (s.state != TD_BLOCK_SMALL) return find_cell(heap, at, bytes);
  uintptr_t cell = td_space_cell_of_small(&heap->space, s.block, at);
  size_t cell_bytes = (size_t)heap->space.blocks[s.block].cell_granules << TD_GRANULE_LOG2;
  if (!holds_still(&s)) return find_cell(heap, at, bytes);
  if (cell && bytes) *bytes = cell_bytes;
  return (void *)cell;
}

size_t tide_cell_bytes(struct tide_heap *heap, const void *address) {
  uintptr_t at = (uintptr_t)address;
  if (!heap || at - heap->space.base >= heap->space.reserved_bytes) return 0;
  uint8_t state = td_space_state_at(&heap->space, at);
  if (state == TD_BLOCK_FREE) return 0;
  /* If the program has an object there, the block stays what it is. */
  if (TIDE_LIKELY(state == TD_BLOCK_SMALL))
    return (size_t)heap->space.blocks[td_block_of(&heap->space, at)].cell_granules
           << TD_GRANULE_LOG2;
  size_t bytes = 0;
  if (state != TD_BLOCK_LARGE || !extent_begins(&heap->space, at, &bytes))
    (void)find_cell(heap, at, &bytes);
  return bytes;
}

struct bitmap {
  uint64_t *bits;
  uintptr_t base;
};

static bool note(const struct td_cell *object, void *context) {
  const struct bitmap *bitmap = context;
  uint64_t granule = td_granule_of(bitmap->base, object->start);
  bitmap->bits[granule / 64] |= (uint64_t)1 << (granule % 64);
  return true;
}

uint64_t *td_object_bitmap(const struct td_space *space) {
  struct bitmap bitmap = {td_pages_take(td_object_bitmap_bytes(space)), space->base};
  if (bitmap.bits) td_space_each_object(space, note, &bitmap);
  return bitmap.bits;
}
