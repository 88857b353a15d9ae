/* SPDX-License-Identifier: MIT */
/* A heap of a program that promised the write barrier, for the drivers: how it begins and ends. */
#ifndef TD_TESTS_YOUNG_HEAP_H
#define TD_TESTS_YOUNG_HEAP_H

#include "tests/stress/driver.h"

static inline struct tide_heap *young_heap(unsigned markers) {
  return HEAP(.heap_max_bytes = 64u << 20, .markers = markers, .write_barrier = true);
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
  const struct tide_heap_stats stats = stats_of(heap);
  printf("%" PRIu64 " collections, %" PRIu64 " of them young\n", stats.collections,
         stats.young_collections);
  CHECK(stats.young_collections >= least);
  heap_end(heap, m);
}

#endif
