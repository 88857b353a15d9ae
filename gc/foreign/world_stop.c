/* SPDX-License-Identifier: MIT */
/* A world that stands still for as long as the program wants. */
#include "gc/check/caller/check.h"
#include "gc/threads/inside.h"
#include "gc/threads/stop/pause.h"
#include "gc/threads/stop/world.h"
#include "gc/threads/world.h"
#include "tide/dropin.h"

/* This thread's stacks are not described while it runs on: what it has of other heaps must have
 * been when it entered a section. */
static bool others_rest(const struct tide_mutator *mutator) {
  for (const struct tide_mutator *m = td_thread_mutators(); m; m = m->thread_next)
    if (m != mutator && !m->section_safe) return false;
  return true;
}

static TD_KEEPS_CALL void stop_late_perhaps(struct tide_mutator *mutator) {
  struct td_call call;
  td_call_begin(&call, "an event");
  td_world_stop(mutator->heap, mutator);
  td_call_end(&call);
}

enum tide_status tide_world_stop(struct tide_mutator *mutator) {
  if (!td_mutator_may_act(mutator, "tide_world_stop")) return td_refusal(mutator);
  if (!others_rest(mutator)) return TIDE_ERROR_STATE;
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct tide_heap *heap = mutator->heap;
  td_world_lock(heap);
  stop_late_perhaps(mutator);
  td_pause_retire_runs(heap);
  heap->world->for_program = true;
  return TIDE_OK;
}

enum tide_status tide_world_resume(struct tide_mutator *mutator) {
  if (!td_pause_is_programs(mutator)) return td_refusal(mutator);
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct tide_heap *heap = mutator->heap;
  heap->world->for_program = false;
  td_pause_hand_back_runs(heap);
  td_world_resume(heap, mutator);
  td_world_unlock(heap);
  return TIDE_OK;
}
