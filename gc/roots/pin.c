/* Objects that are kept alive until they are let go. */
#include "gc/roots/pin.h"

#include "gc/base/check.h"
#include "gc/base/inside.h"
#include "gc/base/object.h"
#include "gc/base/pages.h"

#define CAPACITY_MIN 512u /* a page */

static bool make_room(struct td_root_set *roots) {
  if (roots->pinned_count < roots->pinned_capacity) return true;
  size_t capacity = roots->pinned_capacity ? roots->pinned_capacity * 2 : CAPACITY_MIN;
  uintptr_t *larger = td_pages_grow(roots->pinned, roots->pinned_capacity * sizeof *larger,
                                    capacity * sizeof *larger);
  if (!larger) return false;
  roots->pinned = larger;
  roots->pinned_capacity = capacity;
  return true;
}

static enum tide_status add(struct td_root_set *roots, uintptr_t object) {
  if (td_table_get(&roots->pinned_index, object) != TD_TABLE_NONE) return TIDE_ERROR_STATE;
  if (!make_room(roots) || !td_table_put(&roots->pinned_index, object, roots->pinned_count))
    return TIDE_ERROR_MEMORY;
  roots->pinned[roots->pinned_count++] = object;
  /* relaxed: as in td_pin_never. */
  atomic_store_explicit(&roots->ever_pinned, true, memory_order_relaxed);
  return TIDE_OK;
}

enum tide_status tide_object_pin(struct tide_mutator *mutator, void *object) {
  if (!td_mutator_may_act(mutator, "tide_object_pin"))
    return mutator ? TIDE_ERROR_STATE : TIDE_ERROR_ARGUMENT;
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct tide_heap *heap = mutator->heap;
  if (!object || !td_object_begins(heap, object)) return TIDE_ERROR_ARGUMENT;
  pthread_mutex_lock(&heap->roots.lock);
  enum tide_status status = add(&heap->roots, (uintptr_t)object);
  pthread_mutex_unlock(&heap->roots.lock);
  return status;
}

static bool take_out(struct td_root_set *roots, uintptr_t object) {
  size_t at = td_table_get(&roots->pinned_index, object);
  if (at == TD_TABLE_NONE) return false;
  uintptr_t last = roots->pinned[--roots->pinned_count];
  roots->pinned[at] = last;
  td_table_put(&roots->pinned_index, last, at);
  td_table_remove(&roots->pinned_index, object);
  return true;
}

bool td_pin_remove_slow(struct tide_heap *heap, uintptr_t object) {
  pthread_mutex_lock(&heap->roots.lock);
  bool was_in = take_out(&heap->roots, object);
  pthread_mutex_unlock(&heap->roots.lock);
  return was_in;
}

bool td_pin_has_slow(struct tide_heap *heap, uintptr_t object) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  pthread_mutex_lock(&heap->roots.lock);
  bool is_in = td_table_get(&heap->roots.pinned_index, object) != TD_TABLE_NONE;
  pthread_mutex_unlock(&heap->roots.lock);
  return is_in;
}

enum tide_status tide_object_unpin(struct tide_mutator *mutator, void *object) {
  if (!td_mutator_may_act(mutator, "tide_object_unpin"))
    return mutator ? TIDE_ERROR_STATE : TIDE_ERROR_ARGUMENT;
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  return td_pin_remove(mutator->heap, (uintptr_t)object) ? TIDE_OK : TIDE_ERROR_ARGUMENT;
}
