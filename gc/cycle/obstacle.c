/* SPDX-License-Identifier: MIT */
#include "gc/cycle/obstacle.h"

#include "gc/foreign/weak_slots.h"
#include "gc/threads/thread.h"

static bool has_traced(struct tide_heap *heap) {
  bool found = false;
  pthread_mutex_lock(&heap->space.lock);
  for (uint32_t i = 0; i < heap->space.layouts.count && !found; i++)
    found = heap->space.layouts.at[i].kind == TD_KIND_TRACED && !heap->space.layouts.at[i].beside;
  pthread_mutex_unlock(&heap->space.lock);
  return found;
}

static bool has_signalled(const struct tide_heap *heap) {
  for (const struct tide_mutator *m = heap->world->mutators; m; m = m->next)
    if (m->stop_signal) return true;
  return false;
}

const char *td_beside_obstacle(struct tide_heap *heap) {
  if (has_traced(heap)) return "trace functions read what the program may be changing";
  if (has_signalled(heap)) return "a signal may stop a thread in the middle of a store";
  if (td_weak_slots_any(heap)) return "weak slots in place are read without a call";
  return NULL;
}
