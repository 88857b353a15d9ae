/* Objects that are kept alive until they are let go. */
#include "gc/roots/pin.h"

#include "gc/base/check.h"
#include "gc/base/inside.h"
#include "gc/base/object.h"

static enum tide_status add(struct td_root_set *roots, uintptr_t object) {
  enum td_table_added added = td_table_add(&roots->pinned, object);
  if (added != TD_TABLE_ADDED)
    return added == TD_TABLE_WAS_THERE ? TIDE_ERROR_STATE : TIDE_ERROR_MEMORY;
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

bool td_pin_remove_slow(struct tide_heap *heap, uintptr_t object) {
  pthread_mutex_lock(&heap->roots.lock);
  bool was_in = td_table_remove(&heap->roots.pinned, object);
  pthread_mutex_unlock(&heap->roots.lock);
  return was_in;
}

bool td_pin_has_slow(struct tide_heap *heap, uintptr_t object) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  pthread_mutex_lock(&heap->roots.lock);
  bool is_in = td_table_has(&heap->roots.pinned, object);
  pthread_mutex_unlock(&heap->roots.lock);
  return is_in;
}

enum tide_status tide_object_unpin(struct tide_mutator *mutator, void *object) {
  if (!td_mutator_may_act(mutator, "tide_object_unpin"))
    return mutator ? TIDE_ERROR_STATE : TIDE_ERROR_ARGUMENT;
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  return td_pin_remove(mutator->heap, (uintptr_t)object) ? TIDE_OK : TIDE_ERROR_ARGUMENT;
}
