/* SPDX-License-Identifier: MIT */
/* Threads create, use and destroy heaps while they are attached to another one only, and a thread
 * forks. A fork keeps heaps from coming and going, takes their locks, and waits for those threads;
 * neither may wait for the other.
 * Then a thread that was cancelled destroys a heap with helpers, which is done to its end.
 * Arguments: forks, threads. */
#include <sys/wait.h>

#include "tests/stress/by_signal.h"

static struct tide_heap *heap;
static atomic_bool finished;
static atomic_uint_fast64_t heaps;

static struct tide_heap *small_heap(void) {
  struct tide_options options;
  struct tide_error error;
  tide_options_init(&options);
  options.heap_max_bytes = 1u << 20;
  options.reserve_bytes = 4u << 20;
  options.markers = 3;
  struct tide_heap *fresh = tide_heap_create(&options, &error);
  if (!fresh) fprintf(stderr, "%s\n", error.text);
  CHECK(fresh);
  return fresh;
}

static void *come_and_go(void *by_signal) {
  void *root = NULL;
  struct tide_mutator *m = by_signal ? attach_by_signal(heap) : tide_attach(heap, NULL, NULL);
  CHECK(m);
  while (!atomic_load_explicit(&finished, memory_order_relaxed)) { /* relaxed: a hint to end */
    struct tide_heap *other = small_heap();
    struct tide_heap_stats stats;
    for (unsigned i = 0; i < 100; i++) {
      CHECK(tide_root_add(other, &root) == TIDE_OK);
      tide_heap_stats(other, &stats);
      CHECK(tide_root_remove(other, &root) == TIDE_OK);
    }
    CHECK(tide_alloc(m, TIDE_LAYOUT_LEAF, 64));
    CHECK(tide_heap_destroy(other) == TIDE_OK);
    atomic_fetch_add_explicit(&heaps, 1, memory_order_relaxed); /* relaxed: a figure */
  }
  CHECK(tide_detach(m) == TIDE_OK);
  return NULL;
}

static void fork_often(uint64_t forks) {
  for (uint64_t i = 0; i < forks; i++) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      CHECK(tide_heap_destroy(small_heap()) == TIDE_OK);
      _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}

/* Returns whether the heap was destroyed; a thread that is cancelled inside returns nothing. */
static void *destroy_cancelled(void *gone) {
  struct tide_heap *other = small_heap();
  struct tide_mutator *m = tide_attach(other, NULL, NULL);
  void **array = tide_alloc(m, TIDE_LAYOUT_REFS, 200000);
  CHECK(array);
  for (unsigned i = 0; i < 20000; i++)
    array[i] = tide_alloc(m, TIDE_LAYOUT_REFS, 16);
  CHECK(tide_collect(m) == TIDE_OK && tide_detach(m) == TIDE_OK);
  CHECK(pthread_cancel(pthread_self()) == 0);
  CHECK(tide_heap_destroy(other) == TIDE_OK);
  *(bool *)gone = true;
  pthread_testcancel();
  return NULL;
}

int main(int count, char **arguments) {
  uint64_t forks = argument(count, arguments, 1, 300);
  uint64_t threads = argument(count, arguments, 2, 2);
  CHECK(threads <= 64);
  CHECK(heap = tide_heap_create(NULL, NULL));
  pthread_t ids[64], cancelled;
  for (uint64_t i = 0; i < threads; i++)
    CHECK(pthread_create(&ids[i], NULL, come_and_go, i % 2 ? heap : NULL) == 0);
  fork_often(forks);
  atomic_store_explicit(&finished, true, memory_order_relaxed);
  for (uint64_t i = 0; i < threads; i++)
    CHECK(pthread_join(ids[i], NULL) == 0);
  bool gone = false;
  void *result;
  CHECK(pthread_create(&cancelled, NULL, destroy_cancelled, &gone) == 0);
  CHECK(pthread_join(cancelled, &result) == 0 && result == PTHREAD_CANCELED);
  CHECK(gone);
  printf("%" PRIu64 " heaps\n", (uint64_t)heaps);
  return tide_heap_destroy(heap) != TIDE_OK;
}
