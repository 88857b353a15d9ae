/* SPDX-License-Identifier: MIT */
/* Young objects in a space without a collector around it. */
#include "heap/young/young.h"

#include <pthread.h>
#include <stdatomic.h>

#include "heap/young/log.h"
#include "tests/unit/heap/common.h"

#define CLASS 2u

static struct td_space heap;
#define YoungTest(name) SPACE_TEST(young, name, true, 16 * MIB, 8 * MIB)

static uint8_t mark_of(const void *object) {
  return heap.marks[heap_granule(&heap, object)];
}

/* Nothing is looked at: what was allocated, and what was logged meanwhile, lives. */
YoungTest(keeps_all_that_was_old_from_the_first_moment) {
  struct tide_bump run = {0};
  td_young_bear_old(&heap, true);
  void *one = heap_alloc(&heap, &run, TIDE_LAYOUT_CONSERVATIVE, CLASS);
  void *logged = heap_alloc(&heap, &run, TIDE_LAYOUT_CONSERVATIVE, CLASS);
  cr_assert_eq(mark_of(one), heap.epoch);
  td_log_fresh(&heap, (uintptr_t)logged);
  td_space_retire(&heap, &run);
  td_young_keep(&heap);
  td_space_end_young(&heap);
  cr_assert_eq(heap.live_objects, 2);
  cr_assert_eq(mark_of(logged), heap.epoch);
  heap_check(&heap);
  td_young_bear_old(&heap, false);
  void *next = heap_alloc(&heap, &run, TIDE_LAYOUT_LEAF, CLASS);
  cr_assert_eq(mark_of(next), TD_YOUNG);
}

static atomic_bool marked;

static void *mark_block(void *marks) {
  for (unsigned round = 0; round < 200; round++)
    for (size_t i = 0; i < TD_BLOCK_GRANULES; i += 2)
      td_mark_store((uint8_t *)marks + i, (uint8_t)(round % 2 ? heap.epoch : TD_YOUNG + 1));
  atomic_store(&marked, true);
  return NULL;
}

/* Marks that a marker stores meanwhile are as it stored them. */
YoungTest(what_becomes_old_while_markers_are_at_work) {
  struct tide_bump run = {0};
  void *one = heap_alloc(&heap, &run, TIDE_LAYOUT_CONSERVATIVE, CLASS);
  uint8_t *marks = td_block_marks(&heap, td_block_of(&heap, (uintptr_t)one));
  for (size_t i = 1; i < TD_BLOCK_GRANULES; i += 2)
    marks[i] = TD_YOUNG;
  pthread_t marker;
  cr_assert_eq(pthread_create(&marker, NULL, mark_block, marks), 0);
  do
    td_young_end_beside(&heap, true);
  while (!atomic_load(&marked));
  pthread_join(marker, NULL);
  for (size_t i = 0; i < TD_BLOCK_GRANULES; i++)
    cr_assert_eq(marks[i], heap.epoch, "granule %zu", i);
}
