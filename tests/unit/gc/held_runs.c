/* Runs of threads that a signal stopped: what lies right behind one is an object. */
#include "tests/unit/gc/common.h"

#define MANY 512u
static struct pair *kept[MANY];
static _Atomic(int) step;

/* Leaves holes between live objects, allocates into one, and is stopped there. */
static void *allocate(void *heap) {
  struct tide_mutator *m = mutator_of(heap, TIDE_STACK_CONSERVATIVE, TIDE_STOP_SIGNAL);
  for (size_t i = 0; i < MANY; i++)
    kept[i] = tide_alloc(m, TIDE_LAYOUT_REFS, sizeof(struct pair));
  for (size_t i = 0; i < MANY; i++)
    if (i % 8 < 4) kept[i] = NULL;
  tide_collect(m);
  for (size_t i = 0; i < MANY; i += 8)
    kept[i] = tide_alloc(m, TIDE_LAYOUT_REFS, sizeof(struct pair));
  atomic_store(&step, 1);
  while (atomic_load(&step) != 2) {
  }
  size_t lost = 0;
  for (size_t i = 0; i < MANY; i++)
    lost += kept[i] && tide_object_find(heap, kept[i]) != kept[i];
  tide_detach(m);
  return (void *)lost;
}

HeapTest(held_runs, what_lies_behind_one_is_an_object) {
  cr_assert_eq(tide_root_add_range(w.heap, kept, MANY), TIDE_OK);
  pthread_t thread = thread_new(allocate, w.heap);
  tide_blocking_enter(w.m);
  while (atomic_load(&step) != 1) {
  }
  tide_blocking_leave(w.m);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  atomic_store(&step, 2);
  size_t lost = (size_t)thread_end(w.m, thread);
  cr_assert_eq(lost, 0, "%zu objects are said to be none", lost);
  cr_assert_eq(tide_root_remove_range(w.heap, kept), TIDE_OK);
}
