/* SPDX-License-Identifier: MIT */
/* More grey objects at once than a tester keeps: arrays of arrays, objects of 64 slots, and one
 * array that a full queue has no room to cut. None is lost, with queues of usual and least size.
 *
 *   piled [ARRAYS] */
#include "gc/state/heap.h"
#include "marker/base/state.h"
#include "tests/marking/rig.h"

enum { SLOTS = 1000, WIDE = 60 };

static struct rig r;
static size_t count = 300; /* of arrays */

/* Returns an array with a pair in each slot. A handle keeps it, as all here. */
static void **pairs(size_t slots) {
  void ***array =
      (void ***)tide_handle(r.m, rig_cell(&r, TIDE_LAYOUT_REFS, slots * sizeof(void *)));
  CHECK(array);
  for (size_t i = 0; i < slots; i++)
    (*array)[i] = rig_cell(&r, TIDE_LAYOUT_REFS, 2 * sizeof(void *));
  return *array;
}

/* Makes an array of arrays. */
static void arrays(void) {
  void ***array =
      (void ***)tide_handle(r.m, rig_cell(&r, TIDE_LAYOUT_REFS, count * sizeof(void *)));
  CHECK(array);
  for (size_t i = 0; i < count; i++) {
    void **made = pairs(SLOTS);
    (*array)[i] = made;
  }
}

/* Makes a chain of objects of 64 slots, which lead to 63 pairs each. */
static void chain(void) {
  void ***first = (void ***)tide_handle(r.m, NULL);
  CHECK(first);
  for (size_t i = 0; i < WIDE; i++) {
    void **made = pairs(64);
    made[63] = *first;
    *first = made;
  }
}

static void collect_with(uint32_t blocks, uint32_t items) {
  rig_open(&r, (size_t)256 << 20, blocks, items);
  arrays();
  chain();
  pairs(count * SLOTS / 2);
  for (unsigned markers = RIG_MARKERS_LEAST; markers <= 4; markers *= 2)
    for (unsigned way = 0; td_marking_name(way); way++) {
      rig_configure(&r, "bwos", markers);
      r.heap->markers->marking = (enum td_marking)way;
      CHECK(rig_collect(&r, td_marking_name(way)) > count * SLOTS * 3 / 2);
    }
  rig_close(&r);
}

int main(int argc, char **argv) {
  if (argc > 1) count = strtoul(argv[1], NULL, 10);
  collect_with(0, 0);
  collect_with(2, 2);
  return 0;
}
