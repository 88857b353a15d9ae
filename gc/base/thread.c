/* The calling thread: its identity, its mutators, and whether it collects. */
#include "gc/base/thread.h"

static _Thread_local struct tide_mutator *thread_mutators;
static _Thread_local char identity;

const void *td_thread_identity(void) {
  return &identity;
}

struct tide_mutator *td_thread_mutators(void) {
  return thread_mutators;
}

void td_thread_add(struct tide_mutator *mutator) {
  mutator->thread_next = thread_mutators;
  thread_mutators = mutator;
}

void td_thread_remove(struct tide_mutator *mutator) {
  struct tide_mutator **link = &thread_mutators;
  while (*link != mutator)
    link = &(*link)->thread_next;
  *link = mutator->thread_next;
}

struct tide_mutator *tide_current(struct tide_heap *heap) {
  struct tide_mutator *m = thread_mutators;
  while (m && m->heap != heap)
    m = m->thread_next;
  return heap ? m : NULL;
}

struct tide_heap *tide_heap_of(struct tide_mutator *mutator) {
  return mutator ? mutator->heap : NULL;
}

bool td_inside_collection(struct tide_heap *heap) {
  /* relaxed: compared with our own identity, which only this thread stores there. */
  return atomic_load_explicit(&heap->world.holder, memory_order_relaxed) == &identity ||
         td_markers_has_thread(heap->markers);
}
