/* SPDX-License-Identifier: MIT */
/* Visits that have paid are tried again soon: of two wide parts of a graph, with a list between
 * them, the second is visited as well. */
#include "tests/marking/regions.h"

enum { NODES = 1 << 16, LINKS = 12000, LINK_BYTES = 512, SHIFT = 16 };

_Static_assert(LINKS > TD_VISITS_SOON && LINKS < TD_VISITS_AGAIN, "soon, but not at once");

/* A complete binary tree whose nodes lie anywhere. Returns the root. */
static void **tree_new(struct rig *r) {
  static void **nodes[NODES];
  CHECK(tide_root_add_range(r->heap, nodes, NODES) == TIDE_OK);
  for (size_t i = 0; i < NODES; i++)
    CHECK(nodes[i * 40503 % NODES] = tide_alloc(r->m, TIDE_LAYOUT_REFS, 2 * sizeof(void *)));
  for (size_t i = 1; i < NODES; i++)
    nodes[(i - 1) / 2][(i - 1) % 2] = nodes[i];
  CHECK(tide_root_remove_range(r->heap, nodes) == TIDE_OK);
  return nodes[0];
}

/* A list whose links lie in many regions, so that a visit follows it no farther than a step. */
static void **list_new(struct rig *r, void **end) {
  static void **links[LINKS];
  CHECK(tide_root_add_range(r->heap, links, LINKS) == TIDE_OK);
  for (size_t i = 0; i < LINKS; i++)
    CHECK(links[i * 7919 % LINKS] = tide_alloc(r->m, TIDE_LAYOUT_REFS, LINK_BYTES));
  for (size_t i = 0; i < LINKS; i++)
    links[i][0] = i + 1 < LINKS ? links[i + 1] : end;
  CHECK(tide_root_remove_range(r->heap, links) == TIDE_OK);
  return links[0];
}

int main(void) {
  struct rig r;
  struct regions_met met;
  rig_open(&r, (size_t)256 << 20, 0, 0);
  void ***first = (void ***)tide_handle(r.m, tree_new(&r)), **node = *first;
  void ***second = (void ***)tide_handle(r.m, tree_new(&r));
  while (node[0])
    node = node[0];
  node[0] = list_new(&r, *second);
  *second = NULL;
  rig_limit_regions(&r, SHIFT, 4096);
  uint64_t objects = rig_collect(&r, "two trees");
  CHECK(objects == 2 * NODES + LINKS);
  rig_check_regions(&r, "two trees", &met);
  printf("%" PRIu64 " of %" PRIu64 " objects in visits\n", met.objects, objects);
  CHECK(met.objects > NODES + NODES / 2);
  rig_close(&r);
  return 0;
}
