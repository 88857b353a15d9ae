/* Checks of the caller. */
#include "gc/base/check.h"

#include "gc/base/error.h"
#include "gc/base/thread.h"

bool td_mutator_check(const struct tide_mutator *mutator, const char *function) {
  if (!mutator) {
    td_misuse("%s: the mutator is NULL", function);
  } else if (!mutator->heap) {
    td_misuse("%s: mutator %p is detached", function, (const void *)mutator);
  } else if (mutator->thread != td_thread_identity()) {
    td_misuse("%s: mutator %p belongs to another thread%s", function, (const void *)mutator,
              td_markers_has_thread(mutator->heap->markers) ? " (called in a trace function)" : "");
  } else {
    return true;
  }
  return false;
}

bool td_mutator_may_look(const struct tide_mutator *mutator, const char *function) {
  if (!td_mutator_check(mutator, function)) return false;
  if (mutator->blocking_depth == 0) return true;
  td_misuse("%s: mutator %p is in a blocking region", function, (const void *)mutator);
  return false;
}

bool td_mutator_may_act(const struct tide_mutator *mutator, const char *function) {
  if (!td_mutator_may_look(mutator, function)) return false;
  /* relaxed: as in td_inside_collection. Its other half concerns marking threads, and those have
   * no mutator. */
  const void *holder = atomic_load_explicit(&mutator->heap->world.holder, memory_order_relaxed);
  if (holder != td_thread_identity()) return true;
  td_misuse("%s in a trace function, root callback, event or visit", function);
  return false;
}
