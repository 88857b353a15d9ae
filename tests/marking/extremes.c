/* SPDX-License-Identifier: MIT */
/* The smallest and the longest: no object, one object, a list of ten million, an array of ten
 * million slots, arrays in arrays.
 *
 *   extremes [LENGTH] */
#include "tests/marking/rig.h"

static struct rig r;

static void nothing_and_one(void) {
  rig_open(&r, (size_t)64 << 20, 0, 0);
  for (unsigned markers = RIG_MARKERS_LEAST; markers <= 4; markers *= 2) {
    rig_expect(&r, markers, 0, "an empty heap");
    size_t scope = tide_scope_open(r.m);
    CHECK(tide_handle(r.m, tide_alloc(r.m, TIDE_LAYOUT_LEAF, 1)));
    rig_expect(&r, markers, 1, "one leaf");
    void **self = (void **)tide_alloc(r.m, TIDE_LAYOUT_REFS, 16);
    CHECK(self && tide_handle(r.m, self));
    self[0] = self[1] = self;
    rig_expect(&r, markers, 2, "one leaf, and an object that refers to itself");
    CHECK(tide_scope_close(r.m, scope) == TIDE_OK);
  }
  rig_expect(&r, 2, 0, "emptied");
  rig_close(&r);
}

static void long_list(size_t length) {
  rig_open(&r, (size_t)1 << 30, 0, 0);
  void **head = tide_handle(r.m, NULL);
  for (size_t i = 0; i < length; i++) {
    void **node = (void **)new_object(r.m, TIDE_LAYOUT_REFS, 16);
    node[0] = *head;
    *head = node;
  }
  for (unsigned markers = RIG_MARKERS_LEAST; markers <= 2; markers++) {
    rig_configure(&r, "bwos", markers);
    CHECK(rig_collect(&r, "a long list") == length);
  }
  rig_configure(&r, "abp", 2);
  CHECK(rig_collect(&r, "a long list") == length);
  rig_close(&r);
}

/* Every 64th slot has an object of its own, the others share one. */
static void long_array(size_t slots) {
  rig_open(&r, (size_t)1 << 30, 0, 0);
  void **array = (void **)tide_alloc(r.m, TIDE_LAYOUT_REFS, slots * sizeof(void *));
  CHECK(array && tide_handle(r.m, array));
  for (size_t i = 0; i < slots; i++) {
    if (i % 64 == 0)
      CHECK((array[i] = tide_alloc(r.m, i % 128 ? TIDE_LAYOUT_LEAF : TIDE_LAYOUT_REFS, 16)));
    else
      array[i] = array[0];
  }
  uint64_t objects = 1 + (slots + 63) / 64;
  for (unsigned markers = RIG_MARKERS_LEAST; markers <= 2; markers++) {
    rig_configure(&r, "bwos", markers);
    CHECK(rig_collect(&r, "a long array") == objects);
    rig_configure(&r, "chase-lev", markers);
    CHECK(rig_collect(&r, "a long array") == objects);
  }
  rig_close(&r);
}

/* width arrays of width arrays of … leaves, each array over several slices. */
static void **nest(unsigned depth, size_t width) {
  void **array = (void **)new_object(r.m, TIDE_LAYOUT_REFS, width * sizeof(void *));
  size_t scope = tide_scope_open(r.m);
  CHECK(tide_handle(r.m, array));
  for (size_t i = 0; i < width; i += depth ? width / 8 : 1)
    CHECK(
        (array[i] = depth ? (void *)nest(depth - 1, width) : tide_alloc(r.m, TIDE_LAYOUT_LEAF, 8)));
  CHECK(tide_scope_close(r.m, scope) == TIDE_OK);
  return array;
}

static void nested_arrays(uint32_t blocks, uint32_t items) {
  rig_open(&r, (size_t)512 << 20, blocks, items);
  enum { WIDTH = 4096 }; /* 8 slices, blocks of their own */
  CHECK(tide_handle(r.m, nest(2, WIDTH)));
  for (unsigned markers = RIG_MARKERS_LEAST; markers <= 4; markers *= 2)
    rig_expect(&r, markers, 1 + 8 + 64 + 64 * WIDTH, "nested arrays");
  rig_close(&r);
}

int main(int count, char **arguments) {
  size_t length = argument(count, arguments, 1, 10000000);
  nothing_and_one();
  nested_arrays(0, 0);
  nested_arrays(2, 2);
  long_list(length);
  long_array(length);
  return 0;
}
