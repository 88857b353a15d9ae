/* Graphs with random edges against their definitions. */
#include "tests/unit/workloads/definition.h"

Test(shapes_random, random) {
  struct td_thg graph = record("random:objects=3000,degree=4,roots=64");
  start();
  for (uint32_t i = 0; i < 3000; i++) {
    cr_assert_eq(graph.size[i], 32);
    for (uint32_t k = 0; k < 4; k++)
      cr_assert_eq(ref(&graph, i, k), next() % 3000);
  }
  expect_root(&graph, 3000);
  for (uint32_t i = 0; i < 64; i++)
    cr_expect_eq(ref(&graph, 3000, i), next() % 3000);
  struct reached reached = reach(&graph);
  cr_expect_eq(reached.edges, (reached.objects - 1) * 4 + 64);
  cr_expect_gt(reached.objects, 2800);
  td_thg_free(&graph);
}

/* Of an object's references, the share `local` leads to the 32 before it, itself and the 31 behind
 * it, counted in a circle. */
static void expect_clustered(const char *text, uint32_t objects, uint32_t degree, uint32_t local) {
  struct td_thg graph = record(text);
  uint32_t near = 0;
  cr_expect_eq(graph.object_count, objects + 1);
  start();
  for (uint32_t i = 0; i < objects; i++) {
    cr_assert_eq(slot_count(&graph, i), degree);
    for (uint32_t k = 0; k < degree; k++) {
      bool is_near = next() % 100 < local;
      int64_t target = is_near ? (int64_t)i - 32 + next() % 64 : next() % objects;
      while (target < 0)
        target += objects;
      cr_assert_eq(ref(&graph, i, k), target % objects, "%s: object %u", text, i);
      near += is_near;
    }
  }
  expect_root(&graph, objects);
  cr_expect_eq(slot_count(&graph, objects), 16);
  for (uint32_t i = 0; i < 16; i++)
    cr_expect_eq(ref(&graph, objects, i), next() % objects);
  cr_expect_leq(near, (local + 3) * objects * degree / 100);
  cr_expect_geq(near + 3 * objects * degree / 100, local * objects * degree / 100);
  td_thg_free(&graph);
}

Test(shapes_random, clustered) {
  expect_clustered("clustered:objects=3K,degree=3,roots=16,local=93", 3000, 3, 93);
  expect_clustered("clustered:objects=3K,degree=2,roots=16,local=0", 3000, 2, 0);
  expect_clustered("clustered:objects=3K,degree=2,roots=16,local=100", 3000, 2, 100);
  expect_clustered("clustered:objects=5,degree=200,roots=16,local=50", 5, 200, 50);
}

Test(shapes_random, powerlaw) {
  enum { OBJECTS = 3000, DEGREE = 4 };
  struct td_thg graph = record("powerlaw:objects=3K,degree=4,roots=16");
  uint32_t *in = calloc(OBJECTS, sizeof *in);
  cr_expect_eq(graph.object_count, OBJECTS + 1);
  start();
  for (uint32_t i = 0; i < OBJECTS; i++) {
    cr_assert_eq(slot_count(&graph, i), DEGREE);
    for (uint32_t k = 0; k < DEGREE; k++) {
      double u = next() / 4294967296.0;
      cr_assert_eq(ref(&graph, i, k), (uint32_t)(OBJECTS * (u * u * u)));
      in[ref(&graph, i, k)]++;
    }
  }
  expect_root(&graph, OBJECTS);
  for (uint32_t i = 0; i < 16; i++)
    cr_expect_eq(ref(&graph, OBJECTS, i), next() % OBJECTS);
  /* The third root of 1 in 3000 is 7 %: so many lead to the first object. */
  cr_expect_geq(in[0], OBJECTS * DEGREE * 6 / 100);
  cr_expect_leq(in[0], OBJECTS * DEGREE * 8 / 100);
  free(in);
  td_thg_free(&graph);
}

Test(shapes_random, dag) {
  struct td_thg graph = record("dag:layers=6,width=20,degree=3");
  start();
  for (uint32_t i = 0; i < 120; i++) {
    cr_assert_eq(slot_count(&graph, i), 3);
    for (uint32_t k = 0; k < 3; k++) {
      uint32_t target = i >= 100 ? TD_THG_NULL : k == 0 ? i + 20 : (i / 20 + 1) * 20 + next() % 20;
      cr_assert_eq(ref(&graph, i, k), target);
    }
  }
  expect_counts("dag", &graph, 121, 5 * 20 * 3 + 20);
  td_thg_free(&graph);
}
