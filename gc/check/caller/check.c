/* SPDX-License-Identifier: MIT */
/* Checks of the caller. */
#include "gc/check/caller/check.h"

#include "gc/state/error.h"
#include "gc/threads/world.h"

bool td_in_callback(void) {
  const struct td_self *self = td_self();
  td_call_check(&self->call);
  return self->worlds > 0 || self->tells || td_markers_is_helper();
}

bool td_inside_collection(struct tide_heap *heap) {
  /* relaxed: compared with our own identity, which only this thread stores there. */
  return atomic_load_explicit(&heap->world->holder, memory_order_relaxed) == td_self() ||
         td_markers_has_thread(heap->markers);
}

bool td_mutator_check(const struct tide_mutator *mutator, const char *function) {
  const struct td_self *self = td_self();
  td_call_check(&self->call);
  if (!mutator) {
    td_misuse("%s: the mutator is NULL", function);
  } else if (!mutator->heap) {
    td_misuse("%s: mutator %p is detached", function, (const void *)mutator);
  } else if (mutator->thread != self) {
    td_misuse("%s: mutator %p belongs to another thread%s", function, (const void *)mutator,
              td_markers_is_helper() ? " (called in a trace function)" : "");
  } else {
    return true;
  }
  return false;
}

bool td_mutator_may_wait(const struct tide_mutator *mutator, const char *function) {
  if (!td_mutator_check(mutator, function)) return false;
  if (!td_in_callback()) return true;
  td_misuse("%s in a trace function, root callback, event or visit", function);
  return false;
}

static bool outside_regions(const struct tide_mutator *mutator, const char *function) {
  if (mutator->blocking_depth == 0) return true;
  td_misuse("%s: mutator %p is in a blocking section", function, (const void *)mutator);
  return false;
}

bool td_mutator_may_act_slow(const struct tide_mutator *mutator, const char *function) {
  return td_mutator_may_wait(mutator, function) && outside_regions(mutator, function);
}

bool td_mutator_may_look(const struct tide_mutator *mutator, const char *function) {
  if (td_mutator_is_well(mutator, td_self())) return true;
  if (mutator && mutator->heap && td_in_callback() && td_inside_collection(mutator->heap))
    return true;
  return td_mutator_may_act(mutator, function);
}
