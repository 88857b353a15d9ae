/* SPDX-License-Identifier: MIT */
#include "gc/threads/thread.h"

_Thread_local struct td_self td_self_here __attribute__((tls_model("initial-exec")));

struct tide_mutator *tide_current(struct tide_heap *heap) {
  struct tide_mutator *m = td_self_here.mutators;
  while (m && m->heap != heap)
    m = m->thread_next;
  return heap ? m : NULL;
}

struct tide_heap *tide_heap_of(struct tide_mutator *mutator) {
  return mutator ? mutator->heap : NULL;
}

const struct td_stack_bounds *td_thread_stack(void) {
  if (td_self_here.stack.high == 0 && !td_plat_stack_bounds(&td_self_here.stack)) return NULL;
  return &td_self_here.stack;
}
