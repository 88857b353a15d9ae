/* SPDX-License-Identifier: MIT */
/* What markers did, moment by moment, as embedders get it. */
#include "tests/unit/gc/common.h"

#define ROOM 4096u

static struct tide_timeline_event events[ROOM];

HeapTest(trace, misuse) {
  uint64_t lost = 0;
  cr_assert_eq(tide_timeline_begin(NULL, 10), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_timeline_begin(w.heap, SIZE_MAX), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_timeline_read(NULL, events, ROOM, &lost), 0);
  cr_assert_eq(tide_timeline_read(w.heap, events, ROOM, NULL), 0, "nothing was asked for");
  cr_assert_eq(tide_timeline_read(w.heap, NULL, ROOM, &lost), 0);
}

/* A marker's events are in order, and begin and end in pairs. */
static void check_order(size_t count) {
  for (size_t i = 0; i < count; i++) {
    cr_assert_lt(events[i].marker, 2);
    cr_assert_leq(events[i].kind, TIDE_TIMELINE_WAKE);
    if (i + 1 < count && events[i + 1].marker == events[i].marker)
      cr_assert_leq(events[i].ns, events[i + 1].ns);
    if (events[i].kind == TIDE_TIMELINE_ROOTS_BEGIN)
      cr_assert_eq(events[i + 1].kind, TIDE_TIMELINE_ROOTS_END);
    if (events[i].kind == TIDE_TIMELINE_PARK) cr_assert_eq(events[i + 1].kind, TIDE_TIMELINE_WAKE);
  }
}

HeapTest(trace, tells_of_a_collection) {
  list_new(&w, 20000);
  cr_assert_eq(tide_timeline_begin(w.heap, ROOM / 2), TIDE_OK);
  tide_collect(w.m);
  uint64_t lost = 0, joins = 0, leaves = 0, objects[2] = {0};
  size_t count = tide_timeline_read(w.heap, events, ROOM, &lost);
  cr_assert_gt(count, 3);
  cr_assert_eq(lost, 0);
  check_order(count);
  for (size_t i = 0; i < count; i++) {
    joins += events[i].kind == TIDE_TIMELINE_JOIN;
    leaves += events[i].kind == TIDE_TIMELINE_LEAVE;
    if (events[i].kind == TIDE_TIMELINE_LEAVE) objects[events[i].marker] = events[i].value;
  }
  cr_assert_eq(joins, leaves);
  cr_assert_geq(objects[0] + objects[1], 20000);
  cr_assert_eq(tide_timeline_read(w.heap, events, ROOM, &lost), 0, "each is told once");
}

HeapTest(trace, counts_what_it_loses) {
  list_new(&w, 100);
  cr_assert_eq(tide_timeline_begin(w.heap, 1), TIDE_OK);
  tide_collect(w.m);
  uint64_t lost = 0;
  size_t count = tide_timeline_read(w.heap, events, ROOM, &lost);
  cr_assert(count >= 1 && count <= 2);
  cr_assert_geq(lost, 3, "a marker joins, scans roots and leaves");
  uint64_t before = lost;
  tide_collect(w.m);
  cr_assert_eq(tide_timeline_read(w.heap, NULL, 0, &lost), 0);
  cr_assert_geq(lost - before, 4, "no room here is a loss as well");
}

HeapTest(trace, ends_and_follows_the_number_of_markers) {
  list_new(&w, 100);
  cr_assert_eq(tide_timeline_begin(w.heap, ROOM / 4), TIDE_OK);
  tide_collect(w.m);
  cr_assert_eq(tide_timeline_begin(w.heap, 0), TIDE_OK);
  tide_collect(w.m);
  cr_assert_eq(tide_timeline_read(w.heap, events, ROOM, NULL), 0);
  cr_assert_eq(tide_heap_set_markers(w.heap, 1, NULL), TIDE_OK);
  cr_assert_eq(tide_timeline_begin(w.heap, ROOM / 4), TIDE_OK);
  cr_assert_eq(tide_heap_set_markers(w.heap, 4, NULL), TIDE_OK);
  tide_collect(w.m);
  cr_assert_gt(tide_timeline_read(w.heap, events, ROOM, NULL), 3);
}

HeapTest(trace, times_add_up) {
  list_new(&w, 50000);
  static struct tide_marker_stats marker[TIDE_MARKERS_MAX];
  for (int i = 0; i < 3; i++) {
    tide_collect(w.m);
    struct tide_cycle_stats cycle = cycle_of(w.heap);
    cr_assert_eq(tide_marker_stats(w.heap, marker, TIDE_MARKERS_MAX), cycle.markers);
    for (unsigned m = 0; m < cycle.markers; m++) {
      const struct tide_marker_stats *one = &marker[m];
      cr_assert_leq(one->started_ns, one->ended_ns);
      cr_assert_leq(one->ended_ns, cycle.mark_ns);
      cr_assert_eq(one->roots_ns + one->trace_ns + one->idle_ns, one->ended_ns - one->started_ns);
    }
    cr_assert_gt(marker[0].trace_ns, 0);
  }
}
