/* Definitions of graphs, written down a second time as plainly as possible: what they share. */
#ifndef TD_TESTS_UNIT_WORKLOADS_DEFINITION_H
#define TD_TESTS_UNIT_WORKLOADS_DEFINITION_H

#include "tests/unit/workloads/recorded.h"

/* xorshift32 from the definition, not from workloads/random.h. */
static uint32_t x;
static inline void start(void) {
  x = 2463534242u;
}
static inline uint32_t next(void) {
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return x;
}

static inline void expect_counts(const char *text, const struct td_thg *graph, uint64_t objects,
                                 uint64_t edges) {
  struct reached reached = reach(graph);
  cr_expect_eq(reached.objects, objects, "%s: %llu objects", text,
               (unsigned long long)reached.objects);
  cr_expect_eq(reached.edges, edges, "%s: %llu edges", text, (unsigned long long)reached.edges);
}

static inline void expect_root(const struct td_thg *graph, uint32_t root) {
  cr_assert_eq(graph->root_count, 1);
  cr_expect_eq(graph->roots[0], root);
}

#endif
