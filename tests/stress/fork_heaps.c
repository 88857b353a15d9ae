/* SPDX-License-Identifier: MIT */
/* Threads create, use and destroy heaps while they are attached to another one only, and a thread
 * without a mutator forks. A fork keeps heaps from coming and going, takes their locks, and waits
 * for those threads; neither may wait for the other. The child uses that heap, and one of its own.
 * Arguments: forks, threads. */
#include "tests/stress/driver.h"

static struct tide_heap *heap;
static atomic_bool finished;
static atomic_uint_fast64_t heaps;

static struct tide_heap *small_heap(void) {
  return HEAP(.heap_max_bytes = 1u << 20, .reserve_bytes = 4u << 20, .markers = 3);
}

static void *come_and_go(void *number) {
  void *root = NULL;
  SCOPED_MUTATOR m =
      ATTACH(heap, .stop = (uintptr_t)number % 2 ? TIDE_STOP_SIGNAL : TIDE_STOP_POLL);
  while (!atomic_load_explicit(&finished, memory_order_relaxed)) { /* relaxed: a hint to end */
    struct tide_heap *other = small_heap();
    for (unsigned i = 0; i < 100; i++) {
      CHECK(tide_root_add(other, &root) == TIDE_OK);
      (void)stats_of(other);
      CHECK(tide_root_remove(other, &root) == TIDE_OK);
    }
    CHECK(tide_alloc(m, TIDE_LAYOUT_LEAF, 64));
    CHECK(tide_heap_destroy(other) == TIDE_OK);
    atomic_fetch_add_explicit(&heaps, 1, memory_order_relaxed); /* relaxed: a figure */
  }
  return NULL;
}

static void fork_often(uint64_t forks) {
  for (uint64_t i = 0; i < forks; i++) {
    pid_t child = fork();
    if (child == 0) {
      CHECK(stats_of(heap).mutators == 0);
      struct tide_mutator *m = ATTACH(heap);
      CHECK(tide_alloc(m, TIDE_LAYOUT_LEAF, 64) && tide_collect(m) == TIDE_OK);
      CHECK(tide_check_heap(m, NULL) == TIDE_OK);
      CHECK(tide_heap_destroy(small_heap()) == TIDE_OK);
      _exit(0);
    }
    expect_child(child);
  }
}

int main(int count, char **arguments) {
  uint64_t forks = argument(count, arguments, 1, 300);
  uint64_t threads = argument(count, arguments, 2, 2);
  heap = HEAP();
  const struct crew crew = crew_new(come_and_go, threads);
  fork_often(forks);
  atomic_store_explicit(&finished, true, memory_order_relaxed);
  crew_end(NULL, &crew);
  printf("%" PRIu64 " heaps\n", (uint64_t)heaps);
  return tide_heap_destroy(heap) != TIDE_OK;
}
