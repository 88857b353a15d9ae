/* SPDX-License-Identifier: MIT */
/* Where another thread's own stack lies. */
#include "gc/check/caller/check.h"
#include "gc/state/mutator.h"
#include "gc/threads/mutator/fiber.h"
#include "gc/threads/stop/pause.h"
#include "gc/threads/stop/registers.h"
#include "tide/dropin.h"

void *tide_stack_own_high(const struct tide_mutator *mutator) {
  if (!td_mutator_check(mutator, "tide_stack_own_high")) return NULL;
  return mutator->stack_kind == TIDE_STACK_PRECISE ? NULL : (void *)mutator->own.high;
}

struct move {
  struct tide_mutator *other;
  uintptr_t low, high;
  enum tide_status status;
};

/* World stopped. A mutator in a blocking section neither reads nor describes its stack before the
 * resume. */
static void move_other(struct tide_mutator *mutator, void *argument) {
  struct move *move = argument;
  (void)mutator;
  move->status = td_fibers_move_own(move->other, move->low, move->high);
  if (move->status == TIDE_OK) td_stack_place(move->other);
}

enum tide_status tide_stack_set_other(struct tide_mutator *mutator, struct tide_mutator *other,
                                      void *low, void *high) {
  struct move move = {other, (uintptr_t)low, (uintptr_t)high, TIDE_OK};
  if (!mutator || !mutator->heap || !other || other->heap != mutator->heap ||
      !td_are_bounds(move.low, move.high))
    return TIDE_ERROR_ARGUMENT;
  if (td_world_is_ours(mutator)) {
    move_other(mutator, &move);
    return move.status;
  }
  if (other == mutator) return tide_stack_set_own(mutator, low, high);
  enum tide_status status =
      td_with_world_stopped(mutator, "tide_stack_set_other", move_other, &move);
  return status == TIDE_OK ? move.status : status;
}
