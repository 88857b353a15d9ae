/* SPDX-License-Identifier: MIT */
/* A small heap with young collections, for tests. */
#ifndef TD_TESTS_UNIT_GC_YOUNG_H
#define TD_TESTS_UNIT_GC_YOUNG_H

#include "tests/unit/gc/common.h"

static inline struct world world_young_with(enum tide_stack stack) {
  return world_with(OPTIONS(.write_barrier = true), stack);
}
static inline struct world world_young(void) {
  return world_young_with(TIDE_STACK_PRECISE);
}

/* As HeapTest. */
#define YoungTest(...) IN_WORLD(world_young(), __VA_ARGS__, .init = NULL)

/* Objects in the heap after a young collection. */
static inline uint64_t count_after_young(struct world *w) {
  cr_assert_eq(tide_collect_young(w->m), TIDE_OK);
  expect_sound(w);
  cr_assert_eq(cycle_of(w->heap).kind, TIDE_CYCLE_YOUNG);
  return count_objects(w);
}

#endif
