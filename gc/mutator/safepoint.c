/* Where a mutator lets collections happen: safepoints and blocking regions. */
#include "gc/base/check.h"
#include "gc/base/error.h"
#include "gc/base/runs.h"
#include "gc/stop/registers.h"
#include "gc/stop/world.h"

/* ---- Safepoints ---- */

static void stand_still(void *unused) {
  (void)unused;
  td_thread_enter_safe(NULL);
  td_thread_leave_safe(NULL);
}

void tide_safepoint_slow(struct tide_mutator *mutator) {
  if (!td_mutator_check(mutator, "tide_safepoint") || mutator->blocking_depth) return;
  /* relaxed: a stop that is not seen now is seen at the next safepoint. */
  if (atomic_load_explicit(&mutator->state, memory_order_relaxed) & TD_STOP)
    td_stack_call(stand_still, NULL);
}

/* ---- Blocking regions ---- */

TD_READS_STACKS void tide_blocking_enter(struct tide_mutator *mutator) {
  if (!td_mutator_check(mutator, "tide_blocking_enter")) return;
  if (mutator->blocking_depth++ > 0) return;
  td_stack_describe_for_later(mutator->current, __builtin_dwarf_cfa());
  td_runs_show(mutator);
  td_world_enter_safe(mutator);
}

/* A stop is under way. Until here the mutator counted as blocked, so that its description from
 * the region's start has stayed as a collector may be reading it. */
static void leave_when_possible(void *argument) {
  struct tide_mutator *mutator = argument;
  td_thread_enter_safe(NULL);
  mutator->blocking_depth = 0;
  td_thread_leave_safe(NULL);
}

void tide_blocking_leave(struct tide_mutator *mutator) {
  if (!td_mutator_check(mutator, "tide_blocking_leave")) return;
  if (mutator->blocking_depth == 0) {
    td_misuse("tide_blocking_leave without tide_blocking_enter");
    return;
  }
  if (mutator->blocking_depth > 1) {
    mutator->blocking_depth--;
    return;
  }
  if (td_world_try_leave_safe(mutator))
    mutator->blocking_depth = 0;
  else
    td_stack_call(leave_when_possible, mutator);
  td_runs_show(mutator);
}
