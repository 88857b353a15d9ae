/* SPDX-License-Identifier: MIT */
/* Nodes of memory, read from folders made up here; and what this machine tells. */
#include "platform/linux_nodes.h"

#include "tests/unit/platform/folder.h"

static struct td_nodes nodes;

TestSuite(nodes, .init = begin, .fini = end);

#define NODES "sys/devices/system/node/"

static void put_online(const char *text) {
  put(NODES "online", "%s", text);
}

static void put_distances(unsigned node, const char *text) {
  char name[64];
  snprintf(name, sizeof name, NODES "node%u/distance", node);
  put(name, "%s", text);
}

static void distances_are(unsigned node, unsigned count, const uint8_t *expected) {
  for (unsigned i = 0; i < count; i++)
    cr_expect_eq(nodes.distance[node][i], expected[i], "%u from %u: %u", i, node,
                 nodes.distance[node][i]);
}

/* What is left of a wrong description does not show. */
static void one_node(const char *why) {
  memset(&nodes, 77, sizeof nodes);
  td_nodes_read(root, &nodes);
  cr_expect_eq(nodes.count, 1, "%s: %u", why, nodes.count);
  cr_expect_eq(nodes.distance[0][0], 0, "%s", why);
}

static void put_two(void) {
  put_online("0-1\n");
  put_distances(0, "10 21\n");
  put_distances(1, "21 10\n");
}

Test(nodes, two) {
  put_two();
  td_nodes_read(root, &nodes);
  cr_assert_eq(nodes.count, 2);
  distances_are(0, 3, (const uint8_t[]){10, 21, 0});
  distances_are(1, 3, (const uint8_t[]){21, 10, 0});
}

Test(nodes, four_in_a_ring) {
  put_online("0-3\n");
  put_distances(0, "10 16 22 16\n");
  put_distances(1, "16 10 16 22\n");
  put_distances(2, "22 16 10 16\n");
  put_distances(3, "16 22 16 10\n");
  td_nodes_read(root, &nodes);
  cr_assert_eq(nodes.count, 4);
  distances_are(2, 5, (const uint8_t[]){22, 16, 10, 16, 0});
}

Test(nodes, numbers_may_be_left_out) {
  put_online("0,8\n");
  put_distances(0, "10 40\n");
  put_distances(8, "40 10\n");
  td_nodes_read(root, &nodes);
  cr_assert_eq(nodes.count, 9);
  distances_are(8, 9, (const uint8_t[]){40, 0, 0, 0, 0, 0, 0, 0, 10});
  distances_are(1, 9, (const uint8_t[]){0, 0, 0, 0, 0, 0, 0, 0, 0});
}

Test(nodes, one) {
  one_node("nothing told");
  put_online("0\n");
  one_node("no distances are looked for");
  put_distances(0, "10\n");
  one_node("with distances");
}

Test(nodes, lists_that_make_no_sense) {
  static const char *const lists[] = {"",
                                      "\n",
                                      "-1\n",
                                      "1-0\n",
                                      "0-\n",
                                      "0,\n",
                                      "a\n",
                                      "0-64\n",
                                      "0-1x\n",
                                      "0 1\n",
                                      "0-99999999999999999999\n"};
  put_two();
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    put_online(lists[i]);
    one_node(lists[i]);
  }
}

Test(nodes, distances_that_make_no_sense) {
  static const char *const lines[] = {"",           "\n",     "10\n",   "21\n",
                                      "21 10 21\n", "0 10\n", "21 0\n", "300 10\n",
                                      "21 -1\n",    "21 x\n", "9 10\n"};
  put_two();
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    put_distances(1, lines[i]);
    one_node(lines[i]);
  }
}

Test(nodes, equally_far_ones_are_as_good_as_one) {
  put_online("0-1\n");
  put_distances(0, "10 10\n");
  put_distances(1, "10 10\n");
  one_node("all the same");
}

Test(this_machine, tells_its_nodes_or_has_one) {
  td_plat_nodes(&nodes);
  cr_assert(nodes.count >= 1 && nodes.count <= TD_NODES_MAX);
  int here = td_plat_node_here();
  if (nodes.count > 1 && here >= 0) cr_assert_lt(here, (int)nodes.count);
}

/* A system that refuses says so; one that tells knows which pages are there. */
Test(this_machine, tells_where_touched_pages_are) {
  size_t page = td_plat_page_bytes();
  char *at = td_plat_map(4 * page);
  cr_assert_not_null(at);
  td_plat_advise_small(at, 4 * page);
  at[2 * page] = 1;
  void *pages[] = {at, at + 2 * page};
  int node[2] = {77, 77};
  if (!td_plat_nodes_of(pages, 2, node)) cr_skip_test("the system does not tell");
  cr_assert_lt(node[0], 0, "%d", node[0]);
  cr_assert(node[1] >= 0 && node[1] < 77, "%d", node[1]);
  td_plat_unmap(at, 4 * page);
}
