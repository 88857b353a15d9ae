/* A small heap with young collections, for tests. */
#ifndef TD_TESTS_UNIT_GC_YOUNG_H
#define TD_TESTS_UNIT_GC_YOUNG_H

#include "tests/unit/gc/common.h"

static inline struct world world_young_with(enum tide_stack stack) {
  struct tide_options options = small_options();
  options.write_barrier = true;
  return world_with(&options, stack);
}
static inline struct world world_young(void) {
  return world_young_with(TIDE_STACK_PRECISE);
}

static inline uint64_t count_objects(struct world *w) {
  uint64_t count = 0;
  cr_assert_eq(tide_heap_walk(w->m, count_visit, &count), TIDE_OK);
  return count;
}

/* Objects in the heap after a young collection. */
static inline uint64_t count_after_young(struct world *w) {
  cr_assert_eq(tide_collect_young(w->m), TIDE_OK);
  struct tide_check check;
  enum tide_status status = tide_check_marks(w->m, &check);
  cr_assert_eq(status, TIDE_OK, "%s", check.difference);
  struct tide_error error;
  cr_assert_eq(tide_check_heap(w->m, &error), TIDE_OK, "%s", error.text);
  struct tide_cycle_stats stats;
  tide_cycle_stats(w->heap, &stats);
  cr_assert_eq(stats.kind, TIDE_CYCLE_YOUNG);
  return count_objects(w);
}

#endif
