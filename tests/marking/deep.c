/* SPDX-License-Identifier: MIT */
/* A list whose elements each lead to a small tree: marked depth first, the list must not be
 * followed to its end before the trees, which would fill the queue. In either order of the two
 * references, and of the addresses; the marks are those of a serial marking. */
#include "tests/marking/rig.h"

enum { LENGTH = 30000, NODES = 7, PART = NODES + 1 };

static struct rig r;
static void **all[LENGTH * PART];
static void **list;

static void **object(size_t element, size_t node, bool falling) {
  size_t i = element * PART + node;
  return all[falling ? (size_t)LENGTH * PART - 1 - i : i];
}

/* Node 0 of each part is the list's, the others are a tree, level by level. */
static void build(bool next_first, bool falling) {
  CHECK(tide_root_add_range(r.heap, (void **)all, LENGTH * PART) == TIDE_OK);
  for (size_t i = 0; i < LENGTH * PART; i++)
    CHECK(all[i] = tide_alloc(r.m, TIDE_LAYOUT_REFS, 2 * sizeof(void *)));
  for (size_t e = 0; e < LENGTH; e++) {
    void **element = object(e, 0, falling);
    element[next_first ? 0 : 1] = e + 1 < LENGTH ? object(e + 1, 0, falling) : NULL;
    element[next_first ? 1 : 0] = object(e, 1, falling);
    for (size_t n = 2; n < PART; n++)
      object(e, n / 2, falling)[n % 2] = object(e, n, falling);
  }
  list = object(0, 0, falling);
  CHECK(tide_root_remove_range(r.heap, (void **)all) == TIDE_OK);
}

int main(void) {
  rig_open(&r, (size_t)256 << 20, 0, 0);
  CHECK(tide_root_add(r.heap, &list) == TIDE_OK);
  for (int way = 0; way < 4; way++) {
    build(way & 1, way & 2);
    CHECK(rig_collect(&r, "a list of trees") == (uint64_t)LENGTH * PART);
    CHECK(r.marker[0].overflows == 0);
  }
  rig_close(&r);
  return 0;
}
