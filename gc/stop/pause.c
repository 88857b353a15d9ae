/* Looking at a heap that stands still. */
#include "gc/stop/pause.h"

#include "gc/base/check.h"
#include "gc/base/inside.h"
#include "gc/base/runs.h"
#include "gc/base/thread.h"
#include "gc/stop/registers.h"
#include "gc/stop/world.h"

enum tide_status td_pause_allowed(const struct tide_mutator *mutator, const char *function) {
  if (td_mutator_may_act(mutator, function)) return TIDE_OK;
  return mutator ? TIDE_ERROR_STATE : TIDE_ERROR_ARGUMENT;
}

void td_pause_retire_runs(struct tide_heap *heap) {
  for (struct tide_mutator *m = heap->world.mutators; m; m = m->next)
    td_runs_retire(m);
}

void td_pause_hand_back_runs(struct tide_heap *heap) {
  for (struct tide_mutator *m = heap->world.mutators; m; m = m->next)
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
  td_thread_call_begin(&call, "a trace function, root callback, event or visit");
  td_world_stop(heap, pause->mutator);
  td_pause_retire_runs(heap);
  pause->call(pause->mutator, pause->argument);
  td_thread_call_end(&call);
  td_pause_hand_back_runs(heap);
  td_world_resume(heap, pause->mutator);
}

enum tide_status td_with_world_stopped(struct tide_mutator *mutator, const char *function,
                                       void (*call)(struct tide_mutator *, void *),
                                       void *argument) {
  enum tide_status status = td_pause_allowed(mutator, function);
  if (status != TIDE_OK) return status;
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct pause pause = {mutator, call, argument};
  struct tide_heap *heap = mutator->heap;
  td_world_lock(heap);
  td_stack_call(call_stopped, &pause);
  td_world_unlock(heap);
  return TIDE_OK;
}
