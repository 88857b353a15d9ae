/* SPDX-License-Identifier: MIT */
/* Profiles of graphs whose figures can be worked out by hand. */
#include "workloads/profile.h"

#include <string.h>

#include "tests/unit/workloads/recorded.h"

static struct td_graph_profile profile_of(const char *text) {
  SCOPED_SPEC spec = parse_spec(text);
  struct td_graph_profile profile;
  struct td_graph_error error = {0};
  cr_assert(td_graph_profile(&spec, &profile, &error), "%s", error.text);
  return profile;
}

static uint64_t sum(const uint64_t *bucket) {
  uint64_t total = 0;
  for (unsigned i = 0; i < TD_PROFILE_BUCKETS; i++)
    total += bucket[i];
  return total;
}

Test(profile, tree) {
  struct td_graph_profile p = profile_of("tree:depth=9");
  cr_expect_eq(p.objects, 1023);
  cr_expect_eq(p.edges, 1022);
  cr_expect_eq(p.null_slots, 1024);
  cr_expect_eq(p.bytes, 1023 * 24);
  cr_expect_eq(p.bytes_max, 24);
  cr_expect_eq(p.roots, 1);
  cr_expect_eq(p.leaves, 0); /* leaf nodes have slots, both null */
  cr_expect_eq(p.levels, 10);
  cr_expect_eq(p.levels_narrow, 6); /* 1, 2, 4, … 32 */
  cr_expect_eq(p.objects_narrow, 63);
  cr_expect_eq(p.level_max, 512);
  cr_expect_eq(p.stack_max, 10); /* a right sibling for each level, and a last left child */
  cr_expect_eq(p.out_degree[0], 512);
  cr_expect_eq(p.out_degree[2], 511); /* degree 2 */
  cr_expect_eq(p.in_degree[0], 1);
  cr_expect_eq(p.in_degree[1], 1022);
  cr_expect_eq(p.points, 10);
  for (unsigned i = 0; i < 10; i++)
    cr_expect_eq((uint64_t)p.frontier[i], UINT64_C(1) << i);
  /* The right child of a node of height h lies 2^h objects of 32 bytes after it: far from height 7
   * up, and there are 1, 2 and 4 nodes of heights 9, 8 and 7. */
  cr_expect_eq(p.near_edges, 1022 - 7, "%llu", (unsigned long long)p.near_edges);
}

Test(profile, list) {
  struct td_graph_profile p = profile_of("list:length=1000");
  cr_expect_eq(p.levels, 1000);
  cr_expect_eq(p.levels_narrow, 1000);
  cr_expect_eq(p.level_max, 1);
  cr_expect_eq(p.stack_max, 1);
  cr_expect_eq(p.near_edges, 999);
  cr_expect_eq(p.points, TD_PROFILE_POINTS);
  for (unsigned i = 0; i < p.points; i++)
    cr_expect_float_eq(p.frontier[i], 1.0, 1e-9);
}

Test(profile, wide) {
  struct td_graph_profile p = profile_of("wide:leaves=1000");
  cr_expect_eq(p.leaves, 1000);
  cr_expect_eq(p.out_degree_max, 1000);
  cr_expect_eq(p.out_degree[10], 1); /* 512 to 1023 */
  cr_expect_eq(p.stack_max, 1000);
  cr_expect_eq(p.levels, 2);
  cr_expect_eq(p.bytes_max, 8000);
}

Test(profile, shared_targets) {
  struct td_graph_profile p = profile_of("array:slots=1000,targets=10");
  cr_expect_eq(p.in_degree_max, 100);
  cr_expect_eq(p.in_degree[7], 10); /* 64 to 127 */
  cr_expect_eq(p.edges, 1000);
  cr_expect_eq(p.objects, 11);
}

Test(profile, only_what_roots_reach_counts) {
  struct td_graph_profile p = profile_of("random:objects=2K,degree=1,roots=1");
  SCOPED_GRAPH graph = record("random:objects=2K,degree=1,roots=1");
  struct reached reached = reach(&graph);
  cr_expect_eq(p.allocated, 2001);
  cr_expect_lt(p.objects, 2001);
  cr_expect_eq(p.objects, reached.objects);
  cr_expect_eq(p.edges, reached.edges);
  cr_expect_eq(sum(p.in_degree), p.objects);
  cr_expect_eq(sum(p.out_degree), p.objects);
}

Test(profile, empty_graph) {
  struct td_thg graph = {0};
  struct td_graph_profile p;
  struct td_graph_error error;
  cr_assert(td_graph_profile_thg(&graph, "nothing", &p, &error));
  cr_expect_eq(p.objects, 0);
  cr_expect_eq(p.levels, 0);
  cr_expect_eq(p.points, 0);
}
