/* Every graph against its definition, written down a second time as plainly as possible. */
#include <string.h>

#include "tests/unit/workloads/definition.h"

static uint32_t *permutation(uint32_t n) {
  uint32_t *p = malloc(n * sizeof *p);
  for (uint32_t i = 0; i < n; i++)
    p[i] = i;
  for (uint32_t i = n - 1; i >= 1; i--) {
    uint32_t j = next() % (i + 1), kept = p[i];
    p[i] = p[j];
    p[j] = kept;
  }
  return p;
}

/* ---- Trees ----------------------------------------------------------------------------- */

/* Returns the preorder number after the subtree. */
static uint32_t walk_tree(const struct td_thg *graph, const uint32_t *p, uint32_t at,
                          unsigned height) {
  uint32_t object = p == NULL ? at : p[at];
  cr_assert_eq(graph->size[object], 24);
  cr_assert_eq(slot_count(graph, object), 2);
  if (height == 0) {
    cr_assert_eq(ref(graph, object, 0), TD_THG_NULL);
    cr_assert_eq(ref(graph, object, 1), TD_THG_NULL);
    return at + 1;
  }
  cr_assert_eq(ref(graph, object, 0), p == NULL ? at + 1 : p[at + 1]);
  uint32_t right = walk_tree(graph, p, at + 1, height - 1);
  cr_assert_eq(ref(graph, object, 1), p == NULL ? right : p[right]);
  return walk_tree(graph, p, right, height - 1);
}

Test(shapes, tree) {
  struct td_thg graph = record("tree:depth=10");
  cr_expect_eq(graph.object_count, 2047);
  expect_root(&graph, 0);
  cr_expect_eq(walk_tree(&graph, NULL, 0, 10), 2047);
  expect_counts("tree", &graph, 2047, 2046);
  td_thg_free(&graph);
}

Test(shapes, tree_of_one) {
  struct td_thg graph = record("tree:depth=0");
  cr_expect_eq(graph.object_count, 1);
  expect_counts("tree:depth=0", &graph, 1, 0);
  td_thg_free(&graph);
}

Test(shapes, shuffled_tree) {
  struct td_thg graph = record("tree:depth=10,order=shuffled");
  start();
  uint32_t *p = permutation(2047);
  expect_root(&graph, p[0]);
  cr_expect_eq(walk_tree(&graph, p, 0, 10), 2047);
  free(p);
  td_thg_free(&graph);
}

Test(shapes, forest) {
  struct td_thg graph = record("forest:trees=30,depth=3");
  cr_expect_eq(graph.object_count, 30 * 15);
  cr_assert_eq(graph.root_count, 30);
  for (uint32_t t = 0; t < 30; t++) {
    cr_expect_eq(graph.roots[t], t * 15);
    walk_tree(&graph, NULL, t * 15, 3);
  }
  expect_counts("forest", &graph, 30 * 15, 30 * 14);
  td_thg_free(&graph);
}

/* ---- Chains ---------------------------------------------------------------------------- */

static void expect_node(const struct td_thg *graph, uint32_t object, uint32_t next_object) {
  cr_assert_eq(graph->size[object], 16);
  cr_assert_eq(slot_count(graph, object), 1);
  cr_assert_eq(ref(graph, object, 0), next_object);
}

Test(shapes, list) {
  struct td_thg graph = record("list:length=1000");
  expect_root(&graph, 0);
  for (uint32_t i = 0; i < 1000; i++)
    expect_node(&graph, i, i < 999 ? i + 1 : TD_THG_NULL);
  expect_counts("list", &graph, 1000, 999);
  td_thg_free(&graph);
}

Test(shapes, shuffled_list) {
  struct td_thg graph = record("list:length=1000,order=shuffled");
  start();
  uint32_t *p = permutation(1000);
  expect_root(&graph, p[0]);
  for (uint32_t i = 0; i < 1000; i++)
    expect_node(&graph, p[i], i < 999 ? p[i + 1] : TD_THG_NULL);
  expect_counts("list", &graph, 1000, 999);
  free(p);
  td_thg_free(&graph);
}

Test(shapes, lists) {
  struct td_thg graph = record("lists:count=7,length=30");
  cr_expect_eq(graph.object_count, 211);
  expect_root(&graph, 210);
  for (uint32_t i = 0; i < 210; i++)
    expect_node(&graph, i, i < 203 ? i + 7 : TD_THG_NULL);
  cr_expect_eq(slot_count(&graph, 210), 7);
  for (uint32_t i = 0; i < 7; i++)
    cr_expect_eq(ref(&graph, 210, i), i);
  expect_counts("lists", &graph, 211, 7 * 29 + 7);
  td_thg_free(&graph);
}

Test(shapes, comb) {
  struct td_thg graph = record("comb:teeth=9,length=4");
  cr_expect_eq(graph.object_count, 45);
  expect_root(&graph, 0);
  for (uint32_t t = 0; t < 9; t++) {
    uint32_t spine = t * 5;
    cr_expect_eq(graph.size[spine], 24);
    cr_expect_eq(ref(&graph, spine, 0), t < 8 ? spine + 5 : TD_THG_NULL);
    cr_expect_eq(ref(&graph, spine, 1), spine + 1);
    for (uint32_t i = 1; i <= 4; i++)
      expect_node(&graph, spine + i, i < 4 ? spine + i + 1 : TD_THG_NULL);
  }
  expect_counts("comb", &graph, 45, 44);
  td_thg_free(&graph);
}

Test(shapes, comb_without_teeth) {
  struct td_thg graph = record("comb:teeth=9,length=0");
  expect_counts("comb", &graph, 9, 8);
  td_thg_free(&graph);
}

Test(shapes, star) {
  struct td_thg graph = record("star:arms=50,length=3");
  expect_root(&graph, 150);
  for (uint32_t i = 0; i < 150; i++)
    expect_node(&graph, i, i % 3 < 2 ? i + 1 : TD_THG_NULL);
  for (uint32_t a = 0; a < 50; a++)
    cr_expect_eq(ref(&graph, 150, a), 3 * a);
  expect_counts("star", &graph, 151, 150);
  td_thg_free(&graph);
}

Test(shapes, records) {
  struct td_thg graph = record("records:length=20,fields=3,values=7");
  expect_root(&graph, 7 + 39);
  for (uint32_t i = 0; i < 20; i++) {
    uint32_t object = 7 + 2 * i, pair = object + 1;
    cr_expect_eq(graph.size[object], 32);
    for (uint32_t k = 0; k < 3; k++)
      cr_expect_eq(ref(&graph, object, k), (3 * i + k) % 7);
    cr_expect_eq(ref(&graph, pair, 0), object);
    cr_expect_eq(ref(&graph, pair, 1), i > 0 ? pair - 2 : TD_THG_NULL);
  }
  expect_counts("records", &graph, 47, 99);
  td_thg_free(&graph);
  graph = record("records:length=2,fields=1,values=7");
  expect_counts("records with fewer fields than values", &graph, 6, 5);
  td_thg_free(&graph);
}

/* ---- Arrays ---------------------------------------------------------------------------- */

Test(shapes, wide) {
  struct td_thg graph = record("wide:leaves=5000");
  expect_root(&graph, 5000);
  for (uint32_t i = 0; i < 5000; i++) {
    cr_assert_eq(graph.size[i], 24);
    cr_assert_eq(slot_count(&graph, i), 0);
    cr_assert_eq(ref(&graph, 5000, i), i);
  }
  expect_counts("wide", &graph, 5001, 5000);
  td_thg_free(&graph);
}

Test(shapes, array) {
  struct td_thg graph = record("array:slots=1000,targets=30");
  for (uint32_t i = 0; i < 1000; i++)
    cr_assert_eq(ref(&graph, 30, i), i % 30);
  expect_counts("array", &graph, 31, 1000);
  td_thg_free(&graph);
  graph = record("array:slots=10,targets=30");
  expect_counts("array of few slots", &graph, 11, 10);
  td_thg_free(&graph);
}

/* ---- Map ------------------------------------------------------------------------------- */

Test(shapes, map) {
  enum { ENTRIES = 1000, BUCKETS = 1024 };
  struct td_thg graph = record("map:entries=1000");
  cr_expect_eq(graph.object_count, 3 * ENTRIES + 1);
  expect_root(&graph, 0);
  cr_expect_eq(slot_count(&graph, 0), BUCKETS);
  uint32_t head[BUCKETS];
  memset(head, 0xFF, sizeof head); /* TD_THG_NULL */
  start();
  for (uint32_t e = 0; e < ENTRIES; e++) {
    uint32_t key = 1 + 3 * e, value = key + 1, entry = key + 2, bucket = next() % BUCKETS;
    cr_assert(graph.size[key] == 8 && slot_count(&graph, key) == 0);
    cr_assert(graph.size[value] == 24 && slot_count(&graph, value) == 0);
    cr_assert(graph.size[entry] == 32 && slot_count(&graph, entry) == 3);
    cr_assert_eq(ref(&graph, entry, 0), key);
    cr_assert_eq(ref(&graph, entry, 1), value);
    cr_assert_eq(ref(&graph, entry, 2), head[bucket]);
    head[bucket] = entry;
  }
  for (uint32_t b = 0; b < BUCKETS; b++)
    cr_assert_eq(ref(&graph, 0, b), head[b]);
  expect_counts("map", &graph, 3 * ENTRIES + 1, 3 * ENTRIES);
  td_thg_free(&graph);
}

Test(shapes, map_of_one) {
  struct td_thg graph = record("map:entries=1");
  cr_expect_eq(slot_count(&graph, 0), 1);
  expect_counts("map", &graph, 4, 3);
  td_thg_free(&graph);
}

/* ---- Syntax trees ---------------------------------------------------------------------- */

Test(shapes, ast_is_trees_that_share_names_only) {
  enum { FILES = 20, NODES = 500, NAMES = 100 };
  struct td_thg graph = record("ast:files=20,nodes=500,names=100");
  uint32_t array = graph.object_count - 1, table = array - 1;
  cr_expect_eq(graph.object_count, FILES * NODES + NAMES + 2);
  expect_root(&graph, array);
  uint32_t *in = calloc(graph.object_count, sizeof *in);
  for (uint64_t r = 0; r < graph.ref_count; r++)
    in[graph.refs[r]]++; /* there are no nulls */
  for (uint32_t i = 0; i < NAMES; i++)
    cr_assert_eq(slot_count(&graph, i), 0);
  for (uint32_t i = NAMES; i <= table; i++)
    cr_assert_eq(in[i], 1, "object %u", i);
  for (uint32_t f = 0; f < FILES; f++)
    cr_expect_eq(ref(&graph, array, 1 + f), NAMES + (f + 1) * NODES - 1); /* parents come last */
  expect_counts("ast", &graph, graph.object_count, graph.ref_count);
  free(in);
  td_thg_free(&graph);
}

Test(shapes, ast_of_any_size) {
  static const char *const texts[] = {"ast:files=1,nodes=1,names=1",  "ast:files=3,nodes=2,names=1",
                                      "ast:files=3,nodes=3,names=2",  "ast:files=5,nodes=4,names=9",
                                      "ast:files=1,nodes=61,names=1", "ast:files=1,nodes=20K"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    struct td_thg graph = record(texts[i]);
    expect_counts(texts[i], &graph, graph.object_count, graph.ref_count);
    td_thg_free(&graph);
  }
}

/* ---- All of them ----------------------------------------------------------------------- */

static const char *const small[] = {
    "tree:depth=7",
    "tree:depth=7,order=shuffled",
    "forest:trees=1500,depth=1",
    "random:objects=500,degree=3,roots=5",
    "random:objects=1,degree=1,roots=1",
    "clustered:objects=500,degree=3,roots=5,local=80",
    "clustered:objects=1,degree=1,roots=1,local=50",
    "powerlaw:objects=500,degree=3,roots=5",
    "powerlaw:objects=1,degree=1,roots=1",
    "list:length=1",
    "list:length=300,order=shuffled",
    "lists:count=10,length=20",
    "comb:teeth=20,length=5",
    "star:arms=200,length=2",
    "wide:leaves=300",
    "array:slots=300,targets=7",
    "map:entries=300",
    "dag:layers=5,width=30,degree=2",
    "dag:layers=1,width=1,degree=1",
    "ast:files=4,nodes=300,names=20",
    "records:length=90,fields=3,values=20",
    "records:length=3,fields=2,values=20",
};
#define SMALL_COUNT (sizeof small / sizeof small[0])

Test(shapes, plans_come_true) {
  for (size_t i = 0; i < SMALL_COUNT; i++) {
    struct td_graph_spec spec = parse_spec(small[i]);
    struct td_graph_plan plan;
    td_graph_plan(&spec, &plan);
    struct td_thg graph = record(small[i]);
    uint64_t bytes = 0;
    for (uint32_t o = 0; o < graph.object_count; o++)
      bytes += graph.size[o];
    cr_expect(plan.known);
    cr_expect_eq(plan.objects, graph.object_count, "%s", small[i]);
    cr_expect(strcmp(spec.kind->name, "ast") == 0 ? plan.bytes >= bytes : plan.bytes == bytes, "%s",
              small[i]);
    if (plan.live_known) expect_counts(small[i], &graph, plan.live_objects, plan.live_edges);
    td_thg_free(&graph);
    td_graph_spec_free(&spec);
  }
}

Test(shapes, same_spec_same_graph) {
  for (size_t i = 0; i < SMALL_COUNT; i++) {
    struct td_thg a = record(small[i]), b = record(small[i]);
    cr_assert_eq(a.object_count, b.object_count);
    cr_assert_eq(a.ref_count, b.ref_count);
    cr_assert_eq(a.root_count, b.root_count);
    cr_expect_eq(memcmp(a.refs, b.refs, a.ref_count * sizeof *a.refs), 0, "%s", small[i]);
    cr_expect_eq(memcmp(a.size, b.size, a.object_count * sizeof *a.size), 0, "%s", small[i]);
    cr_expect_eq(memcmp(a.roots, b.roots, a.root_count * sizeof *a.roots), 0, "%s", small[i]);
    td_thg_free(&a);
    td_thg_free(&b);
  }
}
