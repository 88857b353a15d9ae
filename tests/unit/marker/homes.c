/* SPDX-License-Identifier: MIT */
/* Homes of regions, on machines that are made up: the node of each page, and that of each marker.
 */
#include "tests/unit/marker/visits.h"

enum { BLOCKS = 16, MANY = BLOCKS * PAIRS_PER_BLOCK };

static struct site s;
static struct pair *objects[MANY];
static struct pair *followed[BLOCKS]; /* see first_visited */

static struct {
  int marker[MARKERS]; /* nodes */
  unsigned nodes;
  bool refuses, one_only, untouched;
  unsigned calls;
} machine;

static int node_of(unsigned marker) {
  return machine.marker[marker];
}

/* Blocks lie on the nodes in turn. */
static unsigned node_at(uintptr_t address) {
  return (unsigned)((address - s.heap.base) >> TD_BLOCK_LOG2) % machine.nodes;
}

static bool nodes_of(void **pages, size_t count, int *nodes) {
  machine.calls++;
  for (size_t i = 0; i < count; i++)
    nodes[i] = machine.untouched ? -2 : machine.one_only ? 1 : (int)node_at((uintptr_t)pages[i]);
  return !machine.refuses;
}

/* Nodes in a ring. */
static unsigned steps(unsigned from, unsigned to) {
  unsigned forth = (to + machine.nodes - from) % machine.nodes;
  return forth < machine.nodes - forth ? forth : machine.nodes - forth;
}

static void choose_machine(unsigned nodes, int first, int second) {
  struct td_homes *homes = &s.set->regions->homes;
  memset(&machine, 0, sizeof machine);
  machine.nodes = nodes;
  machine.marker[0] = first;
  machine.marker[1] = second;
  memset(&homes->nodes, 0, sizeof homes->nodes);
  homes->nodes.count = nodes;
  for (unsigned a = 0; a < nodes; a++)
    for (unsigned b = 0; b < nodes; b++)
      homes->nodes.distance[a][b] = (uint8_t)(10 + 6 * steps(a, b));
  homes->node_of = node_of;
  homes->nodes_of = nodes_of;
}

/* Some blocks full of objects, which nothing refers to. */
static void open_on(unsigned nodes, int first, int second) {
  site_open(&s);
  site_fill(&s, objects, MANY);
  site_fill(&s, followed, BLOCKS);
  choose_machine(nodes, first, second);
}

/* Markers have been on all nodes. */
static void begin_inhabited(void) {
  site_begin(&s, 200);
  atomic_store(&s.set->regions->homes.inhabited, (UINT64_C(1) << machine.nodes) - 1);
}

static struct pair *object_in(unsigned block) {
  return objects[block * PAIRS_PER_BLOCK];
}

/* Throws to each block that has a bit, by marker 1, and lets the others wait there. */
static void throw_to(unsigned blocks) {
  for (unsigned b = 0; b < BLOCKS; b++)
    if (blocks >> b & 1) site_throw(&s, 1, object_in(b));
  td_visitor_close(site_visitor(&s, 1));
}

/* The first object of each block leads to an object of a region that somebody else owns. Marker 0
 * visits all other regions. Then references wait in that one in the order of the visits. Returns
 * the node of the region that was visited first. */
static unsigned first_visited(void) {
  struct td_region *region = &s.set->regions->at[site_region(&s, followed[0])];
  for (unsigned b = 0; b < BLOCKS; b++)
    object_in(b)->left = followed[b];
  cr_assert(td_region_claim(region));
  cr_assert_eq(td_visitor_run(site_visitor(&s, 0)), TD_VISITS_DONE);
  const struct td_chunk *chunk = &s.set->regions->pool.at[td_region_take(region)];
  td_region_leave(region);
  for (unsigned b = 0; b < BLOCKS; b++)
    if (site_granule(&s, followed[b]) == chunk->at[0]) return node_at((uintptr_t)object_in(b));
  cr_assert_fail("nothing was visited");
  return 0;
}

/* The nodes of blocks of `blocks`, the nearest to node `from`. */
static unsigned least_steps(unsigned from, unsigned blocks) {
  unsigned least = UINT32_MAX;
  for (unsigned b = 0; b < BLOCKS; b++) {
    unsigned node = node_at((uintptr_t)object_in(b));
    if (blocks >> b & 1 && steps(from, node) < least) least = steps(from, node);
  }
  return least;
}

static unsigned blocks_off(unsigned node) {
  unsigned blocks = 0;
  for (unsigned b = 0; b < BLOCKS; b++)
    if (node_at((uintptr_t)object_in(b)) != node) blocks |= 1u << b;
  return blocks;
}

/* ---- Owners ---- */

static void check_owners(bool is_home_empty) {
  for (unsigned nodes = 2; nodes <= 4; nodes += 2)
    for (unsigned here = 0; here < nodes; here++) {
      open_on(nodes, (int)here, 0);
      unsigned blocks = is_home_empty ? blocks_off(here) : (1u << BLOCKS) - 1;
      begin_inhabited();
      cr_assert(s.set->regions->homes.differ);
      throw_to(blocks);
      unsigned node = first_visited();
      cr_expect_eq(steps(here, node), least_steps(here, blocks), "%u nodes: from %u to %u", nodes,
                   here, node);
      const struct tide_marker_stats *stats = &s.set->marker[0]->stats;
      cr_expect_eq(stats->region_home_visits, is_home_empty ? 0 : BLOCKS / nodes);
      cr_expect_eq(stats->region_away_visits, BLOCKS - BLOCKS / nodes);
      site_close(&s);
    }
}

Test(owners, prefer_regions_of_their_node) {
  check_owners(false);
}

Test(owners, prefer_near_regions_if_nothing_waits_at_home) {
  check_owners(true);
}

/* Visits pay by how much they test, and no region waits for ever. */
Test(owners, go_far_where_much_more_waits) {
  open_on(2, 0, 1);
  unsigned home = node_at((uintptr_t)object_in(0)) == 0 ? 0 : 1, far = 1 - home;
  begin_inhabited();
  for (int i = 0; i < 9 * (int)TD_CHUNK_REFERENCES; i++)
    site_throw(&s, 1, objects[far * PAIRS_PER_BLOCK + (unsigned)i]);
  throw_to(1u << home);
  cr_assert_eq(site_waiting(&s, object_in(far)), 9);
  cr_assert_eq(first_visited(), 1);
  site_close(&s);
}

Test(owners, visit_all_regions_although_nobody_is_on_their_nodes) {
  for (unsigned nodes = 2; nodes <= 4; nodes += 2) {
    open_on(nodes, 0, 0);
    for (int i = 0; i + 1 < MANY; i++)
      *objects[i] = (struct pair){objects[i + 1], objects[i * 31L % MANY]};
    site_begin(&s, 500);
    site_throw(&s, 0, objects[0]);
    site_visit_all(&s);
    site_expect_marked(&s, objects, MANY);
    const struct tide_marker_stats *stats = &s.set->marker[0]->stats;
    cr_expect_gt(stats->region_home_visits, 0);
    cr_expect_gt(stats->region_away_visits, 0);
    cr_expect_eq(stats->region_home_visits + stats->region_away_visits, stats->region_visits);
    site_close(&s);
  }
}

/* Throws four chunks far away and one to marker 0's node. */
static void throw_more_away(void) {
  unsigned home = node_at((uintptr_t)object_in(0)) == 0 ? 0 : 1, far = 1 - home;
  for (unsigned i = 0; i < 4 * TD_CHUNK_REFERENCES; i++)
    site_throw(&s, 1, objects[far * PAIRS_PER_BLOCK + i]);
  throw_to(1u << home);
}

Test(owners, put_off_no_regions_of_nodes_where_nobody_is) {
  open_on(2, 0, 1);
  site_begin(&s, 200);
  throw_more_away();
  cr_assert_eq(first_visited(), 1);
  site_close(&s);
}

/* Marker 1 has come to its node after marker 0 had asked, and before it claims. */
Test(owners, notice_who_comes) {
  open_on(2, 0, 1);
  site_begin(&s, 200);
  struct td_homes *homes = &s.set->regions->homes;
  struct td_nearness *near = &site_visitor(&s, 0)->near;
  td_nearness_ask(near, homes, 0);
  cr_assert_eq(near->weight[1], TD_WEIGHT_HOME);
  cr_assert_not(td_nearness_is_old(near, homes));
  td_nearness_ask(&site_visitor(&s, 1)->near, homes, 1);
  cr_assert(td_nearness_is_old(near, homes));
  throw_more_away();
  cr_assert_eq(first_visited(), 0);
  cr_assert_eq(near->weight[1], TD_WEIGHT_FAR);
  site_close(&s);
}

/* ---- Thieves ---- */

Test(thieves, look_at_home_then_near_then_anywhere) {
  for (unsigned nodes = 2; nodes <= 4; nodes += 2)
    for (unsigned here = 0; here < nodes; here++) {
      uintptr_t got[TD_CHUNK_REFERENCES];
      bool many;
      unsigned taken = 0, before = 0;
      open_on(nodes, (int)here, 0);
      begin_inhabited();
      throw_to((1u << BLOCKS) - 1);
      for (uint32_t count; (count = td_visitor_unload(site_visitor(&s, 0), got, &many)) > 0;) {
        unsigned away = steps(here, node_at(got[0]));
        cr_assert_eq(count, 1);
        cr_expect_geq(away, before, "%u nodes, here %u", nodes, here);
        before = away;
        taken++;
      }
      cr_expect_eq(taken, BLOCKS);
      cr_expect_eq(before, nodes / 2);
      cr_expect_not(td_regions_wait(s.set->regions));
      site_close(&s);
    }
}

/* ---- Nothing to choose ---- */

static void is_like_one_node(const char *why) {
  struct pair *first = object_in(0);
  site_begin(&s, 200);
  throw_to((1u << BLOCKS) - 1);
  cr_expect_eq(td_visitor_run(site_visitor(&s, 0)), TD_VISITS_DONE, "%s", why);
  for (unsigned b = 0; b < BLOCKS; b++)
    cr_expect_eq(site_mark(&s, object_in(b)), 0, "%s", why);
  const struct tide_marker_stats *stats = &s.set->marker[0]->stats;
  cr_expect_eq(stats->region_visits, BLOCKS, "%s", why);
  cr_expect_eq(stats->region_home_visits + stats->region_away_visits, 0, "%s", why);
  site_throw(&s, 1, first);
  td_visitor_close(site_visitor(&s, 1));
  uintptr_t got[TD_CHUNK_REFERENCES];
  bool many;
  cr_expect_eq(td_visitor_unload(site_visitor(&s, 0), got, &many), 1, "%s", why);
  site_close(&s);
}

Test(one_node, asks_for_nothing) {
  open_on(2, 0, 1);
  s.set->regions->homes.nodes.count = 1;
  is_like_one_node("one node");
  cr_assert_eq(machine.calls, 0);
}

Test(one_node, the_system_does_not_tell_where_pages_are) {
  open_on(2, 0, 1);
  machine.refuses = true;
  is_like_one_node("refused");
}

Test(one_node, all_pages_lie_on_one) {
  open_on(2, 0, 1);
  machine.one_only = true;
  is_like_one_node("one only");
}

Test(one_node, nobody_has_touched_the_pages) {
  open_on(2, 0, 1);
  machine.untouched = true;
  is_like_one_node("untouched");
}

Test(one_node, a_marker_does_not_know_where_it_is) {
  static const int places[] = {-1, 2, 3, 1000};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    open_on(2, places[i], 0);
    is_like_one_node("somewhere");
  }
}

Test(one_node, a_node_knows_no_distances) {
  open_on(3, 1, 0);
  memset(s.set->regions->homes.nodes.distance[1], 0, 3);
  is_like_one_node("no distances");
}

/* ---- Homes ---- */

static int samples[4];

static bool tell_samples(void **pages, size_t count, int *nodes) {
  (void)pages;
  for (size_t i = 0; i < count; i++)
    nodes[i] = i < 4 ? samples[i] : 0;
  return true;
}

Test(homes, is_where_most_pages_lie) {
  static const struct {
    int at[4];
    uint32_t home;
  } cases[] = {
      {{1, 1, 1, 1}, 1},    {{1, 2, 2, 3}, 2},  {{3, 1, 1, 3}, 3},
      {{-2, -2, -2, 3}, 3}, {{-2, 0, 1, 1}, 1}, {{-2, -2, -14, -2}, TD_NO_HOME},
      {{4, 4, 4, 2}, 2}, /* a number that the machine does not have */
  };
  open_on(4, 0, 1);
  s.set->regions->homes.nodes_of = tell_samples;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    memcpy(samples, cases[i].at, sizeof samples);
    s.set->regions->homes.count = 0; /* asks again */
    site_begin(&s, 10);
    cr_expect_eq(s.set->regions->at[0].home, cases[i].home, "case %zu", i);
  }
  site_close(&s);
}

Test(homes, are_asked_for_now_and_then) {
  open_on(2, 0, 1);
  site_begin(&s, 10);
  unsigned once = machine.calls, asked = 0;
  cr_assert_gt(once, 0);
  for (int i = 0; i < 64; i++) {
    unsigned before = machine.calls;
    site_begin(&s, 10);
    asked += machine.calls > before;
  }
  cr_expect_eq(asked, 64 / 16);
  s.set->regions->limits.regions_pay = UINT32_MAX;
  unsigned before = machine.calls;
  td_mark_begin(s.set);
  cr_expect_eq(machine.calls, before, "nobody is going to visit");
  cr_expect_not(s.set->regions->homes.differ);
  site_begin(&s, 10);
  cr_expect_gt(machine.calls, before, "they are others now");
  cr_expect(s.set->regions->homes.differ);
  site_close(&s);
}
