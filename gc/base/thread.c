/* The calling thread: its mutators, its stack, and whether it collects. */
#include "gc/base/thread.h"

_Thread_local struct td_self td_self_here __attribute__((tls_model("initial-exec")));

void td_thread_add(struct tide_mutator *mutator) {
  mutator->thread_next = td_self_here.mutators;
  td_self_here.mutators = mutator;
}

void td_thread_remove(struct tide_mutator *mutator) {
  struct tide_mutator **link = &td_self_here.mutators;
  while (*link != mutator)
    link = &(*link)->thread_next;
  *link = mutator->thread_next;
}

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

static bool holds(uintptr_t low, uintptr_t high, uintptr_t address) {
  return address >= low && address < high;
}

void td_thread_call_begin(struct td_call *call, const char *name) {
  uintptr_t at = (uintptr_t)call;
  struct td_open_call fresh = {.name = name};
  if (holds(td_self_here.stack.low, td_self_here.stack.high, at)) {
    fresh.low = td_self_here.stack.low;
    fresh.high = td_self_here.stack.high;
  }
  for (const struct tide_mutator *m = td_self_here.mutators; m; m = m->thread_next) {
    const struct tide_fiber_stack *fiber = m->current;
    if (fiber == &m->own || !holds(fiber->low, fiber->high, at)) continue;
    fresh.low = fiber->low;
    fresh.high = fiber->high;
  }
  td_call_begin(&td_self_here.call, call, &fresh);
}

void td_thread_call_end(const struct td_call *call) {
  td_call_end(&td_self_here.call, call);
}

bool td_in_callback(void) {
  td_call_check(&td_self_here.call);
  return td_self_here.worlds > 0 || td_markers_is_helper();
}

bool td_inside_collection(struct tide_heap *heap) {
  /* relaxed: compared with our own identity, which only this thread stores there. */
  return atomic_load_explicit(&heap->world.holder, memory_order_relaxed) == &td_self_here ||
         td_markers_has_thread(heap->markers);
}
