/* SPDX-License-Identifier: MIT */
/* Where a mutator lets collections happen: safepoints and blocking sections. */
#include "gc/threads/mutator/safepoint.h"

#include <errno.h>

#include "gc/check/caller/check.h"
#include "gc/object/runs.h"
#include "gc/state/error.h"
#include "gc/threads/inside.h"
#include "gc/threads/mutator/stacks.h"
#include "gc/threads/stop/registers.h"
#include "gc/threads/stop/safe.h"

/* ---- Safepoints ---- */

bool td_safepoint(struct tide_mutator *mutator) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_wait(mutator, "tide_safepoint") || mutator->blocking_depth) return false;
  /* relaxed: a stop that is not seen now is seen at the next safepoint. */
  if (atomic_load_explicit(&mutator->state, memory_order_relaxed) & TD_STOP)
    td_stack_call(td_thread_stand_still, NULL);
  return true;
}

/* ---- Without safepoints ---- */

void tide_stop_hold(struct tide_mutator *mutator) {
  if (TIDE_LIKELY(td_mutator_is_well(mutator, td_self())) ||
      td_mutator_check(mutator, "tide_stop_hold"))
    (void)td_inside_begin();
}

void tide_stop_release(struct tide_mutator *mutator) {
  if (!TIDE_LIKELY(td_mutator_is_well(mutator, td_self())) &&
      !td_mutator_check(mutator, "tide_stop_release"))
    return;
  struct td_self *inside = td_self();
  if (td_inside_depth(inside) == 0)
    td_misuse("tide_stop_release without tide_stop_hold");
  else
    td_inside_end(&inside);
}

/* ---- Blocking sections ---- */

/* Without memory for a copy of its stack the mutator does not become safe: a collection waits until
 * it leaves the section, and nothing is lost. */
static void enter(void *argument) {
  struct tide_mutator *mutator = argument;
  if (!td_stacks_keep(mutator)) return;
  mutator->section_safe = true;
  td_world_enter_safe(mutator);
}

void tide_blocking_enter(struct tide_mutator *mutator) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_wait(mutator, "tide_blocking_enter")) return;
  if (mutator->blocking_depth++ > 0) return;
  int saved = errno;
  td_runs_show(mutator);
  td_stack_call(enter, mutator);
  errno = saved;
}

/* A stop is under way. The thread becomes one that stands still in all its heaps. Until it goes on,
 * collections use the words that it kept when it entered the section. */
static void leave_when_possible(void *argument) {
  struct tide_mutator *mutator = argument;
  td_thread_enter_safe(NULL);
  mutator->section_safe = false;
  td_thread_leave_safe(NULL);
}

void tide_blocking_leave(struct tide_mutator *mutator) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_wait(mutator, "tide_blocking_leave")) return;
  if (mutator->blocking_depth == 0) {
    td_misuse("tide_blocking_leave without tide_blocking_enter");
    return;
  }
  if (mutator->blocking_depth > 1) {
    mutator->blocking_depth--;
    return;
  }
  bool was_safe = mutator->section_safe;
  if (was_safe && td_world_try_leave_safe(mutator)) mutator->section_safe = false;
  if (mutator->section_safe) td_stack_call(leave_when_possible, mutator);
  mutator->blocking_depth = 0;
  td_stacks_drop(mutator);
  td_runs_show(mutator);
  if (!was_safe) (void)td_safepoint(mutator); /* a stopper may have waited all the time */
}
