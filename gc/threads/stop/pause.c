/* SPDX-License-Identifier: MIT */
/* Looking at a heap that stands still. */
#include "gc/threads/stop/pause.h"

#include "gc/check/caller/check.h"
#include "gc/object/runs.h"
#include "gc/threads/inside.h"
#include "gc/threads/stop/registers.h"
#include "gc/threads/stop/world.h"
#include "gc/threads/thread.h"

void td_pause_retire_runs(struct tide_heap *heap) {
  for (struct tide_mutator *m = heap->world->mutators; m; m = m->next)
    td_runs_retire(m);
}

void td_pause_hand_back_runs(struct tide_heap *heap) {
  for (struct tide_mutator *m = heap->world->mutators; m; m = m->next)
    td_runs_hand_back(m);
}

struct pause {
  struct tide_mutator *mutator;
  void (*call)(struct tide_mutator *, void *);
  void *argument;
};

static TD_KEEPS_CALL void call_stopped(void *argument) {
  struct pause *pause = argument;
  struct tide_heap *heap = pause->mutator->heap;
  struct td_call call;
  td_call_begin(&call, "a trace function, root callback, event or visit");
  td_world_stop(heap, pause->mutator);
  td_pause_retire_runs(heap);
  pause->call(pause->mutator, pause->argument);
  td_call_end(&call);
  td_pause_hand_back_runs(heap);
  td_world_resume(heap, pause->mutator);
}

bool td_world_is_ours(const struct tide_mutator *mutator) {
  const struct td_world *world = mutator->heap->world;
  /* relaxed: compared with our own identity, which only this thread stores there. */
  return atomic_load_explicit(&world->holder, memory_order_relaxed) == td_self() &&
         world->stands_still;
}

bool td_pause_is_programs(const struct tide_mutator *mutator) {
  const struct td_self *self = td_self();
  td_call_check(&self->call);
  return mutator && mutator->thread == self && mutator->heap && !self->call.at &&
         td_world_is_ours(mutator) && mutator->heap->world->for_program;
}

static TD_KEEPS_CALL void call_at_once(struct tide_mutator *mutator,
                                       void (*call)(struct tide_mutator *, void *),
                                       void *argument) {
  struct td_call open;
  td_call_begin(&open, "a visit");
  call(mutator, argument);
  td_call_end(&open);
}

enum tide_status td_with_world_stopped(struct tide_mutator *mutator, const char *function,
                                       void (*call)(struct tide_mutator *, void *),
                                       void *argument) {
  if (td_pause_is_programs(mutator)) {
    call_at_once(mutator, call, argument);
    return TIDE_OK;
  }
  if (!td_mutator_may_act(mutator, function)) return td_refusal(mutator);
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct pause pause = {mutator, call, argument};
  struct tide_heap *heap = mutator->heap;
  td_world_lock(heap);
  td_stack_call(call_stopped, &pause);
  td_world_unlock(heap);
  return TIDE_OK;
}
