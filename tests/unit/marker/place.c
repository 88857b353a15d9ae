/* SPDX-License-Identifier: MIT */
/* A helper that wakes on the CPU of an active marker. This thread plays the helper. */
#include <sched.h>

#include "marker/base/place.h"
#include "tests/unit/marker/visits.h"

enum { TURNS = 50 };

static struct site s;

static unsigned allowed(void) {
  cpu_set_t set;
  cr_assert_eq(sched_getaffinity(0, sizeof set, &set), 0);
  return (unsigned)CPU_COUNT(&set);
}

static int cpu_of(unsigned id) {
  return atomic_load(&s.set->marker[id]->cpu);
}

/* Returns how many times of TURNS the helper was somewhere else afterwards. */
static unsigned times_moved(bool active) {
  unsigned moved = 0;
  for (unsigned turn = 0; turn < TURNS; turn++) {
    td_place_note(s.set->marker[0]);
    int before = cpu_of(0);
    if (!active) td_place_forget(s.set->marker[0]);
    td_place_apart(s.set->marker[1]);
    moved += td_plat_cpu_here() != before;
  }
  return moved;
}

/* The system may move the thread by itself, but seldom does. */
SiteTest(place, a_helper_leaves_the_cpu_of_an_active_marker_only) {
  if (allowed() < 2) cr_skip_test("one CPU only");
  cr_assert_gt(times_moved(true), TURNS / 2);
  cr_assert_lt(times_moved(false), TURNS / 2);
}
