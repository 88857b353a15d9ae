/* SPDX-License-Identifier: MIT */
/* Marking by regions against a serial marking, with tiny regions and tiny pools; 1 to 16 markers;
 * every kind of object and graph. Every way out of visiting must have been met in the end, or the
 * program has shown nothing.
 *
 *   regions [ROUNDS]      of the graphs of all kinds of objects */
#include "tests/marking/built.h"
#include "tests/marking/mixed.h"
#include "tests/marking/regions.h"

static const unsigned marker_counts[] = {1, 2, 3, 8, 16};
/* Chunks: none but the one that is never used; one; a few; enough. */
static const size_t chunk_counts[] = {1, 2, 9, 64, 4096};
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static struct rig r; /* large */

static struct totals {
  uint64_t collections, visits, objects, marked;
  uint64_t exhausted, deferred, shared;
} totals;

static void look_at_regions(const char *what) {
  struct regions_met met;
  rig_check_regions(&r, what, &met);
  unsigned visiting = 0;
  for (unsigned i = 0; i < r.cycle.markers; i++)
    visiting += r.marker[i].region_objects > 0;
  totals.collections++;
  totals.visits += met.visits;
  totals.objects += met.objects;
  totals.marked += r.marked;
  totals.exhausted += met.exhausted;
  totals.deferred += met.deferred;
  totals.shared += visiting > 1;
}

static void collect(const char *what, uint64_t expected) {
  uint64_t objects = rig_collect(&r, what);
  if (expected && objects != expected) rig_complain(&r, what, "not the graph's number of objects");
  look_at_regions(what);
}

/* ---- Graphs of one kind ---- */

static const char *const specs[] = {
    "tree:depth=14,order=shuffled",
    "random:objects=20K,degree=4,roots=64",
    "clustered:objects=20K,degree=2,roots=64,local=93",
    "powerlaw:objects=20K,degree=4,roots=64",
    "map:entries=6K",
    "list:length=20K,order=shuffled",
    "lists:count=500,length=40",
    "comb:teeth=200,length=60",
    "star:arms=5K,length=2",
    "wide:leaves=20K",
    "array:slots=40K",
    "ast:files=20,nodes=800",
};

/* All markers and pools by turns; engines and policies follow along. */
static void in_all_ways(const char *text) {
  uint64_t first = rig_collect(&r, text);
  for (size_t i = 0; i < COUNT_OF(marker_counts) * COUNT_OF(chunk_counts); i++) {
    unsigned markers = marker_counts[i % COUNT_OF(marker_counts)];
    const char *engine = i % 3 ? "bwos" : rig_engine_of(totals.collections);
    if (rig_engine_may(engine, markers)) rig_configure(&r, engine, markers);
    rig_choose_policy(&r, i);
    rig_limit_regions(&r, REGIONS_SHIFT_LEAST + i % 2, chunk_counts[i / COUNT_OF(marker_counts)]);
    r.heap->markers->marking = i % 2 ? TD_MARKING_PLACE : TD_MARKING_CHOSEN;
    collect(text, first);
  }
}

static void with_graph(const char *text, bool conservative) {
  SCOPED_SPEC spec = rig_spec(text);
  rig_open(&r, (size_t)256 << 20, 0, 0);
  struct td_graph_tide *graph = rig_build(&r, &spec, conservative);
  in_all_ways(text);
  td_graph_tide_free(graph);
  collect("after the graph", 0);
  CHECK(r.marked == 0);
  rig_close(&r);
}

/* ---- Objects of every kind ---- */

static void all_kinds(uint32_t seed) {
  struct mixed g;
  char what[64];
  uint32_t random = seed;
  snprintf(what, sizeof what, "objects of all kinds, seed %u", seed);
  rig_open(&r, (size_t)512 << 20, seed % 2 ? 2 : 0, seed % 2 ? 4 : 0);
  mixed_build(&g, &r, seed, 12000, 64);
  mixed_let_go(&g); /* most is found by way of other objects */
  for (uint32_t i = 0; i < 10; i++) {
    unsigned markers = marker_counts[random_next(&random) % COUNT_OF(marker_counts)];
    size_t chunks = chunk_counts[random_next(&random) % COUNT_OF(chunk_counts)];
    rig_configure(&r, "bwos", markers);
    rig_limit_regions(&r, REGIONS_SHIFT_LEAST + random_next(&random) % 4, chunks);
    r.heap->markers->marking = i % 2 ? TD_MARKING_PLACE : TD_MARKING_CHOSEN;
    collect(what, 0);
  }
  mixed_free(&g);
  rig_close(&r);
}

/* ---- Weak references and ephemerons ---- */

enum { NODES = 6000, NODE_WORDS = 5 };

/* A random graph of nodes, all in one long cycle. Each holds an ephemeron, whose key is the value
 * of the one before, and a weak reference to that value. So all values live if the first key does.
 */
static void **build_weak(void ***objects, struct tide_weak **weak) {
  uint32_t random = 88172645u;
  CHECK(tide_root_add_range(r.heap, objects, 3 * NODES) == TIDE_OK);
  for (int i = 0; i < 3 * NODES; i += 3) {
    CHECK(objects[i] = tide_alloc(r.m, TIDE_LAYOUT_REFS, NODE_WORDS * sizeof(void *)));
    CHECK(objects[i + 1] = tide_alloc(r.m, TIDE_LAYOUT_LEAF, 200));
    objects[i][0] = tide_ephemeron_new(r.m, objects[i ? i - 2 : 1], objects[i + 1]);
    objects[i][1] = weak[i / 3] = tide_weak_new(r.m, objects[i + 1], TIDE_WEAK_BEFORE);
    CHECK(objects[i][0] && objects[i][1]);
  }
  for (int i = 0; i < NODES; i++)
    objects[3 * i][2] = objects[(61 * i + 7919) % NODES * 3];
  for (int i = 0; i < 3 * NODES; i += 3)
    for (int k = 3; k < NODE_WORDS; k++)
      objects[i][k] = objects[random_next(&random) % NODES * 3];
  objects[0][4] = objects[1]; /* the first key */
  void **first = objects[0];
  CHECK(tide_root_remove_range(r.heap, objects) == TIDE_OK);
  return first;
}

/* Returns how many of the weak references have a target. */
static uint64_t count_targets(struct tide_weak *const *weak) {
  uint64_t count = 0;
  for (int i = 0; i < NODES; i++)
    count += tide_weak_get(r.m, weak[i]) != NULL;
  return count;
}

static void ephemerons(void) {
  static void **objects[3 * NODES];
  static struct tide_weak *weak[NODES];
  rig_open(&r, (size_t)64 << 20, 0, 0);
  void **first = build_weak(objects, weak), ***root = (void ***)tide_handle(r.m, first);
  CHECK(root);
  for (uint32_t i = 0; i < 12; i++) {
    rig_configure(&r, "bwos", marker_counts[i % COUNT_OF(marker_counts)]);
    rig_limit_regions(&r, REGIONS_SHIFT_LEAST, chunk_counts[i % 4 + 1]);
    r.heap->markers->marking = i % 2 ? TD_MARKING_PLACE : TD_MARKING_CHOSEN;
    if (i == 8) (*root)[4] = NULL;
    rig_compare(&r, "ephemerons");
    look_at_regions("ephemerons");
    CHECK(count_targets(weak) == (i < 8 ? NODES : 0));
  }
  rig_close(&r);
}

/* ---- The end ---- */

static void check_totals(void) {
  printf("%" PRIu64 " collections right, %" PRIu64 " of %" PRIu64 " objects in %" PRIu64
         " visits; exhausted %" PRIu64 ", deferred %" PRIu64 ", by several markers %" PRIu64 "\n",
         totals.collections, totals.objects, totals.marked, totals.visits, totals.exhausted,
         totals.deferred, totals.shared);
  CHECK(totals.visits > 0 && totals.objects > totals.marked / 8);
  CHECK(totals.exhausted > 0 && totals.deferred > 0);
}

int main(int count, char **arguments) {
  uint64_t rounds = argument(count, arguments, 1, 12);
  for (size_t i = 0; i < COUNT_OF(specs); i++)
    with_graph(specs[i], i % 3 == 1);
  for (uint32_t i = 1; i <= rounds; i++)
    all_kinds(i * 2654435761u);
  ephemerons();
  check_totals();
  return 0;
}
