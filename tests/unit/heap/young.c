/* SPDX-License-Identifier: MIT */
/* Young objects in a space without a collector around it. */
#include "heap/young/young.h"

#include <pthread.h>
#include <stdatomic.h>

#include "heap/young/log.h"
#include "tests/unit/heap/common.h"

#define CLASS 2u

static struct td_space space;

static void begin(void) {
  struct tide_error error;
  cr_assert(td_space_init(&space, true, 16 * MIB, 8 * MIB, &error), "%s", error.text);
}

static void end(void) {
  td_space_deinit(&space);
}

TestSuite(young, .init = begin, .fini = end);

static uint8_t mark_of(const void *object) {
  return space.marks[heap_granule(&space, object)];
}

/* Nothing is looked at: what was allocated, and what was logged meanwhile, lives. */
Test(young, keeps_all_that_was_old_from_the_first_moment) {
  struct tide_bump run = {0};
  td_young_bear_old(&space, true);
  void *one = heap_alloc(&space, &run, TIDE_LAYOUT_CONSERVATIVE, CLASS);
  void *logged = heap_alloc(&space, &run, TIDE_LAYOUT_CONSERVATIVE, CLASS);
  cr_assert_eq(mark_of(one), space.epoch);
  td_log_fresh(&space, (uintptr_t)logged);
  td_space_retire(&space, &run);
  td_young_keep(&space);
  td_space_end_young(&space);
  cr_assert_eq(space.live_objects, 2);
  cr_assert_eq(mark_of(logged), space.epoch);
  heap_check(&space);
  td_young_bear_old(&space, false);
  void *next = heap_alloc(&space, &run, TIDE_LAYOUT_LEAF, CLASS);
  cr_assert_eq(mark_of(next), TD_YOUNG);
}

static atomic_bool marked;

static void *mark_block(void *marks) {
  for (unsigned round = 0; round < 200; round++)
    for (size_t i = 0; i < TD_BLOCK_GRANULES; i += 2)
      td_mark_store((uint8_t *)marks + i, (uint8_t)(round % 2 ? space.epoch : TD_YOUNG + 1));
  atomic_store(&marked, true);
  return NULL;
}

/* Marks that a marker stores meanwhile are as it stored them. */
Test(young, what_becomes_old_while_markers_are_at_work) {
  struct tide_bump run = {0};
  void *one = heap_alloc(&space, &run, TIDE_LAYOUT_CONSERVATIVE, CLASS);
  uint8_t *marks = td_block_marks(&space, td_block_of(&space, (uintptr_t)one));
  for (size_t i = 1; i < TD_BLOCK_GRANULES; i += 2)
    marks[i] = TD_YOUNG;
  pthread_t marker;
  cr_assert_eq(pthread_create(&marker, NULL, mark_block, marks), 0);
  do
    td_young_end_beside(&space, true);
  while (!atomic_load(&marked));
  pthread_join(marker, NULL);
  for (size_t i = 0; i < TD_BLOCK_GRANULES; i++)
    cr_assert_eq(marks[i], space.epoch, "granule %zu", i);
}
