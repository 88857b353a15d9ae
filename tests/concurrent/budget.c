/* SPDX-License-Identifier: MIT */
/* While a collection goes on beside the program, the heap may use all its room. The budget stays
 * what it was, however that ends. */
#include "tests/concurrent/held.h"

enum { LIMIT = 1 << 30, SMALL = 64 << 20, TRIES = 10000 };

static void open(struct held *held, unsigned pause_goal_us) {
  held_open(held, &OPTIONS(.heap_max_bytes = LIMIT, .pause_goal_us = pause_goal_us));
  CHECK(tide_collect(held->m) == TIDE_OK);
  CHECK(stats_of(held->heap).next_collection_bytes < SMALL);
}

static void allocate(struct held *held, size_t bytes) {
  for (size_t i = 0; i < bytes / 128; i++)
    CHECK(tide_alloc(held->m, TIDE_LAYOUT_LEAF, 128));
}

/* Collecting is paused before the thread has come to it. */
static void one_that_was_given_up(void) {
  struct held held = {.has_budget = true};
  open(&held, 0);
  uint64_t before = 0;
  unsigned tries = 0;
  do {
    before = stats_of(held.heap).collections;
    CHECK(tide_collect_begin(held.m) == TIDE_OK && tide_collect_pause(held.heap) == TIDE_OK);
    BLOCKED(held.m, usleep(1000));
    CHECK(tide_collect_resume(held.heap) == TIDE_OK);
  } while (stats_of(held.heap).collections != before && ++tries < TRIES);
  CHECK(tries < TRIES);
  before = stats_of(held.heap).collections;
  allocate(&held, 2 * SMALL);
  CHECK(stats_of(held.heap).collections > before && stats_of(held.heap).heap_bytes < 2 * SMALL);
  held_close(&held);
}

/* What lies outside the heap changes what is due, and nobody is slowed down for it. */
static void memory_outside_while_one_goes_on(void) {
  struct held held = {.has_budget = true};
  open(&held, 0);
  CHECK(tide_external_add(held.m, SMALL) == TIDE_OK && tide_collect(held.m) == TIDE_OK);
  held_begin(&held);
  CHECK(tide_external_add(held.m, -SMALL) == TIDE_OK);
  allocate(&held, SMALL);
  struct tide_cycle_stats stats = held_end(&held);
  CHECK(stats.paced_ns == 0 && !stats.stopped_because);
  CHECK(stats_of(held.heap).next_collection_bytes < 4 * (size_t)SMALL);
  held_close(&held);
}

/* It is no object that lives. */
static void memory_outside_while_blocks_are_sorted(void) {
  struct held held = {.has_budget = true, .later = 1};
  open(&held, 0);
  allocate(&held, 1000); /* there are blocks */
  held_begin(&held);
  CHECK(tide_external_add(held.m, 1 << 20) == TIDE_OK);
  CHECK(held_end(&held).bytes < 1 << 20);
  held_close(&held);
}

/* It has decided on the next budget, and is about to tell. */
static void a_wish_that_comes_late(void) {
  struct held held = {.has_budget = true, .later = 2};
  open(&held, 1000);
  held_begin(&held);
  CHECK(tide_collect_begin(held.m) == TIDE_OK);
  held_end(&held);
  CHECK(stats_of(held.heap).next_collection_bytes < SMALL);
  held_close(&held);
}

int main(void) {
  one_that_was_given_up();
  memory_outside_while_one_goes_on();
  memory_outside_while_blocks_are_sorted();
  a_wish_that_comes_late();
  return 0;
}
