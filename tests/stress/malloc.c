/* SPDX-License-Identifier: MIT */
/* Threads that a signal stops stand inside malloc, whose only arena they share with threads that
 * call malloc inside Tidemark (handles, attaching) or between safepoints, while another one
 * collects all the time. Those wait for the lock of malloc; who has it must go on until they have
 * got it. Arguments: collections. */
#include <malloc.h>

#include "tests/stress/driver.h"

static struct tide_heap *heap;
static atomic_bool finished;
static bool is_finished(void) {
  return atomic_load_explicit(&finished, memory_order_relaxed); /* relaxed: a hint to end */
}

static void use_malloc(void) {
  for (size_t i = 0; i < 100; i++) {
    void *volatile block = malloc(2000 + i * 100);
    free(block);
  }
}

static void *outside(void *unused) {
  SCOPED_MUTATOR m = ATTACH(heap, .stop = TIDE_STOP_SIGNAL);
  while (!is_finished())
    use_malloc();
  return unused;
}

/* Chunks of handles and mutators come from malloc. */
static void *inside(void *polls) {
  while (!is_finished()) {
    SCOPED_MUTATOR m = ATTACH(heap, .stop = polls ? TIDE_STOP_POLL : TIDE_STOP_SIGNAL);
    size_t scope = tide_scope_open(m);
    for (unsigned i = 0; i < 3000; i++)
      CHECK(tide_handle(m, NULL));
    CHECK(tide_scope_close(m, scope) == TIDE_OK && tide_alloc(m, TIDE_LAYOUT_LEAF, 32));
    if (polls) use_malloc();
  }
  return NULL;
}

int main(int count, char **arguments) {
  uint64_t collections = argument(count, arguments, 1, 2000);
  mallopt(M_ARENA_MAX, 1);
  heap = HEAP();
  struct tide_mutator *m = ATTACH(heap, .stop = TIDE_STOP_SIGNAL);
  pthread_t threads[4];
  void *(*const bodies[])(void *) = {outside, outside, inside, inside};
  for (unsigned i = 0; i < 4; i++)
    threads[i] = thread_new(bodies[i], i % 2 ? heap : NULL);
  for (uint64_t i = 0; i < collections; i++)
    CHECK(tide_collect(m) == TIDE_OK);
  atomic_store_explicit(&finished, true, memory_order_relaxed);
  CHECK(tide_detach(m) == TIDE_OK);
  threads_end(NULL, threads, 4);
  return tide_heap_destroy(heap) != TIDE_OK;
}
