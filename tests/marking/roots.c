/* SPDX-License-Identifier: MIT */
/* Roots of every kind, more of them than anything holds at once: ten thousand single ones, one
 * long range, a callback with more references than a tracer keeps, conservative memory with
 * addresses into objects. */
#include "tests/marking/rig.h"

enum { SINGLE = 10000, LONG = 300000, CALLED = 1000, CONSERVATIVE = 5000 };

static struct rig r;
static void *single[SINGLE], *range[LONG], *called[CALLED];
static char *loose[CONSERVATIVE];

/* A third each: one by one, as a range, as words that may be references. */
static void call_back(struct tide_tracer *tracer, void *context) {
  CHECK(context == called);
  for (size_t i = 0; i < CALLED / 2; i++)
    tide_trace(tracer, called[i]);
  tide_trace_range(tracer, called + CALLED / 2, CALLED / 4);
  for (size_t i = CALLED / 2 + CALLED / 4; i < CALLED; i++)
    tide_trace_conservative(tracer, (uintptr_t)called[i] + i % 16);
}

static void collect_on_all(uint64_t objects, const char *what) {
  for (unsigned markers = RIG_MARKERS_LEAST; markers <= 4; markers *= 2)
    rig_expect(&r, markers, objects, what);
}

static void all_kinds(uint32_t blocks, uint32_t items) {
  rig_open(&r, (size_t)128 << 20, blocks, items);
  for (size_t i = 0; i < SINGLE; i++)
    CHECK(tide_root_add(r.heap, &single[i]) == TIDE_OK);
  CHECK(tide_root_add_range(r.heap, range, LONG) == TIDE_OK);
  CHECK(tide_root_add_callback(r.heap, call_back, called) == TIDE_OK);
  CHECK(tide_root_add_conservative(r.heap, loose, sizeof loose) == TIDE_OK);
  collect_on_all(0, "empty roots");
  uint64_t objects = 0;
  for (size_t i = 0; i < SINGLE; i++, objects += 2) {
    void **node = single[i] = rig_cell(&r, TIDE_LAYOUT_REFS, 16);
    node[1] = rig_cell(&r, TIDE_LAYOUT_LEAF, 24);
  }
  for (size_t i = 0; i < LONG; i++) /* nothing, odd numbers, and objects in between */
    range[i] = i % 10 ? (void *)(i % 2 ? 2 * i + 1 : 0) : rig_cell(&r, TIDE_LAYOUT_REFS, 32);
  objects += LONG / 10;
  for (size_t i = 0; i < CALLED; i++, objects++)
    called[i] = rig_cell(&r, TIDE_LAYOUT_REFS, 16);
  for (size_t i = 0; i < CONSERVATIVE; i++, objects++)
    loose[i] = (char *)rig_cell(&r, TIDE_LAYOUT_LEAF, 16 + i % 400) + i % (16 + i % 400);
  collect_on_all(objects, "all kinds of roots");
  CHECK(tide_root_remove_range(r.heap, range) == TIDE_OK);
  CHECK(tide_root_remove_callback(r.heap, call_back, called) == TIDE_OK);
  collect_on_all(objects - LONG / 10 - CALLED, "without range and callback");
  memset(single, 0, sizeof single);
  memset(range, 0, sizeof range);
  memset(called, 0, sizeof called);
  memset(loose, 0, sizeof loose);
  collect_on_all(0, "roots emptied");
  rig_close(&r);
}

int main(void) {
  all_kinds(0, 0);
  all_kinds(2, 2);
  return 0;
}
