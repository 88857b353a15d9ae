/* Freeing and resizing single objects. */
#include <string.h>

#include "gc/base/check.h"
#include "gc/base/error.h"
#include "gc/base/inside.h"
#include "gc/base/object.h"
#include "gc/base/runs.h"
#include "gc/finalizer.h"
#include "gc/finalizer_set.h"
#include "gc/roots/pin.h"
#include "heap/alloc.h"
#include "heap/find.h"
#include "heap/free.h"
#include "heap/medium.h"
#include "heap/quarantine.h"

static const struct td_block_info *info_of(const struct td_space *space, uintptr_t object) {
  return &space->infos[(object - space->base) >> TD_BLOCK_LOG2];
}

static bool take_back(struct tide_mutator *mutator, uint32_t index, uintptr_t object,
                      size_t bytes) {
  struct tide_bump *run = &mutator->runs[index];
  uintptr_t block = ~(uintptr_t)(TD_BLOCK_BYTES - 1);
  if (object + bytes != run->next || ((run->limit - 1) & block) != (object & block)) return false;
  memset((void *)object, 0, bytes);
  run->next = object;
  return true;
}

static void free_small(struct tide_mutator *mutator, uintptr_t object) {
  const struct td_space *space = &mutator->heap->space;
  uint32_t index = td_object_run(space, object);
  size_t bytes = td_space_object_bytes(space, object);
  if (!take_back(mutator, index, object, bytes)) td_runs_put_freed(mutator, index, object);
}

enum tide_status tide_free(struct tide_mutator *mutator, void *object) {
  if (!td_mutator_may_act(mutator, "tide_free"))
    return mutator ? TIDE_ERROR_STATE : TIDE_ERROR_ARGUMENT;
  if (!object) return TIDE_OK;
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct td_space *space = &mutator->heap->space;
  uintptr_t at = (uintptr_t)object;
  if (!td_object_begins_here(mutator, at)) {
    td_misuse("tide_free: %p is no object of this heap, or was freed already", object);
    return TIDE_ERROR_ARGUMENT;
  }
  td_finalizers_forget(mutator->heap, at);
  td_finalizer_set_forget(mutator->heap, at);
  (void)td_pin_remove(mutator->heap, at); /* most are not pinned */
  uint8_t state = info_of(space, at)->state;
  if (td_quarantine_take(space, at)) return TIDE_OK;
  if (state == TD_BLOCK_SMALL)
    free_small(mutator, at);
  else if (state == TD_BLOCK_LARGE)
    td_space_free_large(space, at);
  else
    td_space_free_medium(space, at);
  return TIDE_OK;
}

bool tide_resize_in_place(struct tide_mutator *mutator, void *object, size_t bytes) {
  if (!td_mutator_may_act(mutator, "tide_resize_in_place") || !object) return false;
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct td_space *space = &mutator->heap->space;
  uintptr_t at = (uintptr_t)object;
  if (bytes == 0) bytes = 1;
  if (!td_object_begins_here(mutator, at)) return false;
  size_t before = td_space_object_bytes(space, at);
  if (info_of(space, at)->state != TD_BLOCK_LARGE) return bytes <= before;
  const struct td_block *block = &space->blocks[(at - space->base) >> TD_BLOCK_LOG2];
  if (bytes > PTRDIFF_MAX - TD_BLOCK_BYTES ||
      !td_layout_fits(&space->layouts.at[block->layout], bytes) ||
      !td_space_resize_large(space, at, bytes))
    return false;
  if (bytes > before) mutator->handed_out += bytes - before;
  return true;
}
