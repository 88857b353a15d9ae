/* SPDX-License-Identifier: MIT */
/* An array that takes a 32nd of a heap that outgrows the last-level cache: what it leads to is
 * visited by regions. It is not if the array is shorter, or if the cache holds the heap. */
#include "tests/marking/regions.h"

enum { OBJECTS = 1 << 16, OBJECT_BYTES = 128, SHIFT = 14, CHUNKS = 4096 };

/* An array of that many slots. They lead to objects that lie anywhere. */
static void array_new(struct rig *r, size_t slots) {
  void **array = tide_alloc(r->m, TIDE_LAYOUT_REFS, slots * sizeof *array);
  CHECK(array && tide_handle(r->m, array));
  for (size_t i = 0; i < slots; i++)
    CHECK(array[i * 40503 % slots] = tide_alloc(r->m, TIDE_LAYOUT_REFS, OBJECT_BYTES));
}

/* Returns how many objects visits have scanned. */
static uint64_t collect(struct rig *r, unsigned markers, uint64_t cached) {
  struct regions_met met;
  rig_configure(r, "bwos", markers);
  rig_limit_regions(r, SHIFT, CHUNKS);
  rig_regions(r)->limits.cached = cached;
  rig_collect(r, "a long array");
  rig_check_regions(r, "a long array", &met);
  return met.objects;
}

static void check(unsigned markers, size_t arrays) {
  struct rig r;
  rig_open(&r, (size_t)256 << 20, 0, 0);
  for (size_t i = 0; i < arrays; i++)
    array_new(&r, OBJECTS / arrays);
  uint64_t held = collect(&r, markers, UINT64_MAX), outgrown = collect(&r, markers, 0);
  printf("%u markers, %zu arrays: %" PRIu64 " of %" PRIu64 " objects in visits, %" PRIu64
         " where the cache holds them\n",
         markers, arrays, outgrown, r.marked, held);
  CHECK(held == 0);
  CHECK(arrays == 1 ? outgrown > OBJECTS / 2 : outgrown == 0);
  rig_close(&r);
}

int main(void) {
  for (unsigned markers = 1; markers <= 4; markers *= 2) {
    check(markers, 1);
    check(markers, 8);
  }
  return 0;
}
