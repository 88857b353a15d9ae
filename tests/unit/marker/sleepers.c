/* SPDX-License-Identifier: MIT */
/* Helpers that cannot be recruited, because they went to sleep while the configuration was closed:
 * opening it again wakes them, and only them. */
#include <sched.h>

#include "marker/base/idle.h"
#include "tests/unit/marker/visits.h"

static struct site s;

static uint32_t signal_of(unsigned id) {
  return atomic_load(&s.set->marker[id]->signal);
}

static void wait_until_recruitable(unsigned id) {
  while (!td_bits_has(&s.set->sleepers, id))
    sched_yield();
}

/* Begins a collection and a phase that marks nothing, and tells after how many objects it would
 * wake a helper. `mark_ns`: of earlier phases. */
static uint32_t first_recruiting_in(uint32_t used_blocks, size_t live_bytes, uint64_t mark_ns) {
  const uint32_t before = s.heap.used_blocks;
  s.heap.used_blocks = used_blocks;
  s.heap.live_bytes = live_bytes;
  td_mark_begin(s.set);
  s.set->mark_ns = mark_ns;
  td_mark_phase(s.set, &(struct td_roots){0});
  s.heap.used_blocks = before;
  return s.set->recruit_first;
}

SiteTest(sleepers, helpers_are_woken_early_where_there_is_much_to_mark) {
  const uint32_t enough = TD_RECRUIT_BYTES >> TD_BLOCK_LOG2, all = TD_ALONE_BYTES >> TD_BLOCK_LOG2;
  s.heap.epoch++;
  cr_expect_eq(first_recruiting_in(enough - 1, 0, 0), TD_RECRUIT_LATE);
  cr_expect_eq(first_recruiting_in(enough, 0, 0), TD_RECRUIT_FIRST);
  cr_expect_eq(first_recruiting_in(enough, 1, 0), TD_RECRUIT_LATE, "little is alive");
  cr_expect_eq(first_recruiting_in(all, 1, 0), TD_RECRUIT_FIRST, "it may be more now");
  cr_expect_eq(first_recruiting_in(enough, 0, 1), TD_RECRUIT_LATE, "in a later phase");
  s.set->epoch = s.heap.epoch;
  cr_expect_eq(first_recruiting_in(enough, 0, 0), TD_RECRUIT_LATE, "in a young collection");
}

SiteTest(sleepers, no_more_markers_take_part_than_there_are_cpus) {
  struct tide_error error;
  for (unsigned markers = 1; markers <= 64; markers *= 2)
    for (unsigned cpus = 1; cpus <= 64; cpus *= 2) {
      struct td_marker_config config = {.markers = markers, .cpus = cpus};
      cr_assert(td_markers_configure(s.set, &config, &error), "%s", error.text);
      td_mark_begin(s.set);
      cr_expect_eq(td_enough(s.set), markers < cpus ? markers : cpus, "%u on %u", markers, cpus);
    }
}

SiteTest(sleepers, one_marker_marks_until_it_has_taken_long_enough_or_the_heap_is_large) {
  struct tide_error error;
  struct td_marker_config config = {.markers = 2, .cpus = 2, .helpers_after_ns = 1000};
  cr_assert(td_markers_configure(s.set, &config, &error), "%s", error.text);
  td_markers_ready(s.set);
  cr_expect_eq(s.set->available, 1, "no thread was started");
  td_mark_begin(s.set);
  cr_expect_eq(td_enough(s.set), 1);
  s.set->marked_ns = 1000;
  td_mark_begin(s.set);
  cr_expect_eq(td_enough(s.set), 2);
  s.set->marked_ns = 0;
  s.heap.used_blocks += (uint32_t)(TD_ALONE_BYTES >> TD_BLOCK_LOG2);
  td_markers_ready(s.set);
  cr_expect_eq(s.set->available, 2);
  td_mark_begin(s.set);
  cr_expect_eq(td_enough(s.set), 2);
  s.heap.used_blocks -= (uint32_t)(TD_ALONE_BYTES >> TD_BLOCK_LOG2);
}

/* The helper begins to execute when the configuration is closed, and then sleeps. */
SiteTest(sleepers, opening_wakes_who_cannot_be_recruited_and_only_them, .timeout = 60) {
  atomic_store(&s.set->closed, 1);
  td_markers_ready(s.set);
  td_quiet(s.set);
  cr_assert_not(td_bits_has(&s.set->sleepers, 1));
  cr_assert_eq(td_recruit(s.set->marker[0]), 0);
  uint32_t before = signal_of(1);
  td_reopen(s.set, false);
  cr_assert_eq(signal_of(1), before + 1);
  wait_until_recruitable(1);
  td_quiet(s.set);
  td_reopen(s.set, false);
  cr_assert_eq(signal_of(1), before + 1);
  cr_assert(td_bits_has(&s.set->sleepers, 1));
  td_quiet(s.set);
  td_reopen(s.set, true);
  cr_assert_eq(signal_of(1), before + 2, "another number of markers");
  while (td_recruit(s.set->marker[0]) != 1) /* it may look once more before it sleeps */
    wait_until_recruitable(1);
}
