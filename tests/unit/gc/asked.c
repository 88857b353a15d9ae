/* SPDX-License-Identifier: MIT */
/* Heaps that collect when the program wants it: tide_options.collects, tide_collection_due. */
#include "tests/unit/gc/young.h"

static struct world world_asked(enum tide_collects collects, bool young) {
  return WORLD(.collects = collects, .write_barrier = young);
}

/* Returns how much was allocated until it was refused, or `most`. */
static size_t allocate(struct world *w, size_t most, bool until_due) {
  size_t bytes = 0;
  while (bytes < most && !(until_due && tide_collection_due(w->m))) {
    if (!tide_alloc(w->m, TIDE_LAYOUT_LEAF, 4000)) break;
    bytes += 4000;
  }
  return bytes;
}

static void expect_asked(bool young) {
  SCOPED_WORLD w = world_asked(TIDE_COLLECTS_WHEN_ASKED, young);
  cr_assert_not(tide_collection_due(w.m));
  cr_assert_eq(tide_collect_due(w.m), TIDE_OK);
  cr_assert_eq(collections(&w), 0);
  cr_assert_lt(allocate(&w, 40 * MIB, true), 20 * MIB);
  cr_assert(tide_collection_due(w.m));
  allocate(&w, 20 * MIB, false);
  tide_safepoint(w.m);
  cr_assert_eq(collections(&w), 0);
  cr_assert_eq(tide_collect_due(w.m), TIDE_OK);
  cr_assert_eq(collections(&w), 1);
  cr_assert_eq(cycle_of(w.heap).kind, young ? TIDE_CYCLE_YOUNG : TIDE_CYCLE_FULL);
  cr_assert_not(tide_collection_due(w.m) && !young);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_not(tide_collection_due(w.m));
  /* At the limit it is refused. */
  cr_assert_lt(allocate(&w, 100 * MIB, false), 66 * MIB);
  cr_assert_eq(tide_alloc_status(w.m), TIDE_ERROR_MEMORY);
  cr_assert_eq(collections(&w), 2);
  cr_assert_eq(tide_collect_due(w.m), TIDE_OK);
  cr_assert_not_null(tide_alloc(w.m, TIDE_LAYOUT_LEAF, 4000));
}

Test(asked, allocation_never_collects) {
  expect_asked(false);
  expect_asked(true);
}

/* Near the limit, too, a program that collects when it should is not refused. */
static void expect_room(bool young, enum tide_sizing sizing) {
  SCOPED_WORLD w = WORLD(.collects = TIDE_COLLECTS_WHEN_ASKED, .write_barrier = young,
                         .heap_max_bytes = 32 * MIB, .sizing = sizing);
  void *list = NULL;
  tide_root_add(w.heap, &list);
  for (size_t bytes = 0; bytes < 160 * MIB; bytes += 4000) {
    void **object = tide_alloc(w.m, TIDE_LAYOUT_REFS, 4000);
    cr_assert_not_null(object, "after %zu bytes", bytes);
    if (bytes < 20 * MIB) {
      *object = list;
      list = object;
    }
    cr_assert_eq(tide_external_add(w.m, (ptrdiff_t)MIB / 4), TIDE_OK);
    cr_assert_eq(tide_external_add(w.m, -(ptrdiff_t)MIB / 4), TIDE_OK);
    if (tide_collection_due(w.m)) cr_assert_eq(tide_collect_due(w.m), TIDE_OK);
    if (bytes == 4000 * 25000) cr_assert_eq(tide_heap_set_max(w.heap, 30 * MIB, NULL), TIDE_OK);
  }
  cr_assert_lt(collections(&w), 2000);
}

Test(asked, one_is_due_before_there_is_no_room) {
  expect_room(false, TIDE_SIZING_DEFAULT);
  expect_room(true, TIDE_SIZING_DEFAULT);
  expect_room(false, TIDE_SIZING_FIXED);
}

Test(asked, under_stress_one_is_due_at_once) {
  setenv("TIDE_STRESS", "3", 1);
  SCOPED_WORLD w = world_asked(TIDE_COLLECTS_WHEN_ASKED, false);
  for (uint64_t i = 0; i < 5; i++) {
    cr_assert_not(tide_collection_due(w.m));
    for (int k = 0; k < 3; k++) {
      cr_assert_not_null(tide_alloc(w.m, TIDE_LAYOUT_LEAF, 16));
      cr_assert_eq(tide_collection_due(w.m), k == 2);
    }
    cr_assert_eq(collections(&w), i);
    cr_assert_eq(tide_collect_due(w.m), TIDE_OK);
  }
}

Test(asked, at_the_limit_it_collects_if_chosen) {
  SCOPED_WORLD w = world_asked(TIDE_COLLECTS_AT_LIMIT, false);
  cr_assert_geq(allocate(&w, 60 * MIB, false), 60 * MIB);
  cr_assert_eq(collections(&w), 0);
  cr_assert_geq(allocate(&w, 300 * MIB, false), 300 * MIB);
  cr_assert_geq(collections(&w), 3);
  cr_assert_leq(collections(&w), 8);
}

EVENT(note_due) {
  if (event != TIDE_EVENT_COLLECTION_DUE) return;
  ++*(int *)context;
  cr_assert(tide_collection_due(tide_current(heap)));
}
EVENT(collect_when_due) {
  if (event != TIDE_EVENT_COLLECTION_DUE) return;
  ++*(int *)context;
  cr_assert_eq(tide_collect_due(tide_current(heap)), TIDE_OK);
}

Test(asked, an_event_tells_once) {
  SCOPED_WORLD w = world_asked(TIDE_COLLECTS_WHEN_ASKED, true);
  int count = 0;
  tide_heap_on_event(w.heap, note_due, &count);
  allocate(&w, 40 * MIB, false);
  cr_assert_eq(count, 1);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(tide_external_add(w.m, (ptrdiff_t)(500 * MIB)), TIDE_OK);
  cr_assert_eq(count, 1);
  cr_assert(tide_collection_due(w.m));
  cr_assert_not_null(tide_alloc(w.m, TIDE_LAYOUT_LEAF, 16));
  cr_assert_eq(count, 2);
  cr_assert_eq(tide_external_add(w.m, -(ptrdiff_t)(500 * MIB)), TIDE_OK);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  /* In the event itself it may collect. */
  uint64_t before = collections(&w);
  tide_heap_on_event(w.heap, collect_when_due, &count);
  allocate(&w, 100 * MIB, false);
  cr_assert_gt(count, 6);
  cr_assert_eq(collections(&w) - before, (uint64_t)count - 2);
}

/* While collecting is paused it is due as well. */
HeapTest(asked, pauses_too) {
  cr_assert_eq(tide_collect_pause(w.heap), TIDE_OK);
  allocate(&w, 40 * MIB, true);
  cr_assert(tide_collection_due(w.m));
  cr_assert_eq(tide_collect_due(w.m), TIDE_ERROR_STATE);
  cr_assert_eq(tide_collect_resume(w.heap), TIDE_OK);
  cr_assert_eq(tide_collect_due(w.m), TIDE_OK);
  cr_assert_eq(collections(&w), 1);
  cr_assert_not(tide_collection_due(w.m));
}

static void *look(void *data) {
  SCOPED_MUTATOR m = mutator_of(data, TIDE_STACK_PRECISE, TIDE_STOP_POLL);
  cr_assert(tide_collection_due(m));
  cr_assert_eq(tide_collect_due(m), TIDE_OK);
  cr_assert_not(tide_collection_due(m));
  return NULL;
}

Test(asked, all_mutators_know) {
  SCOPED_WORLD w = world_asked(TIDE_COLLECTS_WHEN_ASKED, false);
  allocate(&w, 40 * MIB, true);
  thread_end(w.m, thread_new(look, w.heap));
  cr_assert_not(tide_collection_due(w.m));
}

static struct tide_mutator *mutator;
static int ran[4], order[4], runs;

FINALIZER(note_run) {
  ran[(size_t)context]++;
  if (runs < 4) order[runs] = (int)(size_t)context;
  runs++;
}
FINALIZER(register_again) {
  runs++;
  cr_assert_eq(tide_finalizer_add(mutator, object, register_again, NULL), TIDE_OK);
}
EVENT(note_pending) {
  if (event == TIDE_EVENT_FINALIZERS_PENDING)
    *(size_t *)context += 100 + tide_finalizers_pending(heap);
}

HeapTest(finalizers, an_event_tells_that_some_wait) {
  size_t told = 0;
  tide_heap_on_event(w.heap, note_pending, &told);
  struct pair *kept = held(&w, pair_new(&w, NULL, NULL, 1));
  cr_assert_eq(tide_finalizer_add(w.m, kept, note_run, NULL), TIDE_OK);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(told, 0);
  for (int i = 0; i < 3; i++)
    cr_assert_eq(tide_finalizer_add(w.m, pair_new(&w, NULL, NULL, 1), note_run, NULL), TIDE_OK);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(told, 103);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(told, 103, "of those that wait already nothing is told");
}

HeapTest(finalizers, all_run_at_the_end) {
  cr_assert_eq(tide_finalizers_run_all(w.m), 0);
  cr_assert_eq(tide_finalizer_add(w.m, pair_new(&w, NULL, NULL, 1), note_run, (void *)3), TIDE_OK);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  struct pair *kept = held(&w, pair_new(&w, NULL, NULL, 1));
  for (size_t i = 0; i < 3; i++)
    cr_assert_eq(tide_finalizer_add(w.m, kept, note_run, (void *)i), TIDE_OK);
  cr_assert_eq(tide_finalizers_run_all(w.m), 4);
  const int expected[] = {3, 0, 1, 2};
  cr_assert_arr_eq(order, expected, sizeof expected);
  cr_assert_eq(tide_finalizers_run_all(w.m), 0);
  /* Not for ever. */
  mutator = w.m;
  runs = 0;
  cr_assert_eq(tide_finalizer_add(w.m, kept, register_again, NULL), TIDE_OK);
  cr_assert_eq(tide_finalizers_run_all(w.m), TIDE_FINALIZER_ROUNDS);
  cr_assert_eq(runs, TIDE_FINALIZER_ROUNDS);
}
