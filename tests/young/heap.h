/* SPDX-License-Identifier: MIT */
/* A heap of a program that promised the write barrier, for the drivers: how it begins and ends. */
#ifndef TD_TESTS_YOUNG_HEAP_H
#define TD_TESTS_YOUNG_HEAP_H

#include "tests/stress/driver.h"

static inline struct tide_heap *young_heap(unsigned markers) {
  struct tide_options options;
  struct tide_error error;
  tide_options_init(&options);
  options.heap_max_bytes = 64u << 20;
  options.markers = markers;
  options.write_barrier = true;
  struct tide_heap *heap = tide_heap_create(&options, &error);
  if (!heap) fprintf(stderr, "%s\n", error.text);
  CHECK(heap);
  return heap;
}

/* Waits for threads, which may collect meanwhile. */
static inline void join_all(struct tide_mutator *m, const pthread_t *threads, uint64_t count) {
  tide_blocking_enter(m);
  for (uint64_t i = 0; i < count; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  tide_blocking_leave(m);
}

/* Returns whether tide_check_heap finds the heap in order, and says what is not. */
static inline bool is_sound(struct tide_mutator *m) {
  struct tide_error error;
  if (tide_check_heap(m, &error) == TIDE_OK) return true;
  fprintf(stderr, "%s\n", error.text);
  return false;
}

/* Says how many collections there were, and ends the heap. At least `least` were young. */
static inline void young_heap_end(struct tide_heap *heap, struct tide_mutator *m, uint64_t least) {
  struct tide_heap_stats stats;
  tide_heap_stats(heap, &stats);
  printf("%" PRIu64 " collections, %" PRIu64 " of them young\n", stats.collections,
         stats.young_collections);
  CHECK(stats.young_collections >= least);
  CHECK(tide_detach(m) == TIDE_OK && tide_heap_destroy(heap) == TIDE_OK);
}

#endif
