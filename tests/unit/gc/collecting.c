/* SPDX-License-Identifier: MIT */
/* Pausing, external memory, and limits that change. */
#include <sched.h>

#include "gc/when/when.h"
#include "tests/unit/gc/young.h"
#include "tide/dropin.h"

static bool churn(struct world *w, size_t mib) {
  for (size_t i = 0; i < mib * 64; i++)
    if (!tide_alloc(w->m, TIDE_LAYOUT_LEAF, MIB / 64)) return false;
  return true;
}

HeapTest(pause, no_collection_begins) {
  cr_assert_eq(tide_collect_pause(w.heap), TIDE_OK);
  cr_assert_eq(tide_collect_pause(w.heap), TIDE_OK);
  cr_assert(churn(&w, 40));
  cr_assert_eq(tide_collect(w.m), TIDE_ERROR_STATE);
  cr_assert_eq(tide_collect_resume(w.heap), TIDE_OK);
  cr_assert_eq(tide_collect(w.m), TIDE_ERROR_STATE);
  cr_assert_eq(collections(&w), 0);
  /* Up to the limit, and there it is refused. */
  cr_assert_not(churn(&w, 40));
  cr_assert_eq(tide_alloc_status(w.m), TIDE_ERROR_MEMORY);
  cr_assert_eq(collections(&w), 0);
  cr_assert_eq(tide_collect_resume(w.heap), TIDE_OK);
  cr_assert(churn(&w, 100));
  cr_assert_gt(collections(&w), 0);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(tide_collect_resume(w.heap), TIDE_ERROR_STATE);
}

EVENT(await_in_event) {
  tide_collect_await(heap); /* does nothing here */
  if (event == TIDE_EVENT_CYCLE_BEGIN) atomic_fetch_add((_Atomic(int) *)context, 1);
  if (event == TIDE_EVENT_CYCLE_END) atomic_fetch_sub((_Atomic(int) *)context, 1);
}

struct collector {
  struct tide_heap *heap;
  _Atomic(bool) ended;
};
static void *collect_until_told(void *data) {
  struct collector *collector = data;
  SCOPED_MUTATOR m = tide_attach(collector->heap, NULL, NULL);
  while (!atomic_load(&collector->ended))
    (void)tide_collect(m); /* it may be paused */
  return NULL;
}

/* From the return on none runs, and none begins. */
HeapTest(pause, by_a_variable_and_awaited) {
  static _Atomic(int) variable, begun;
  struct collector collector = {.heap = w.heap};
  tide_heap_on_event(w.heap, await_in_event, &begun);
  cr_assert_eq(tide_collect_pause_by(w.heap, (const int *)&variable), TIDE_OK);
  pthread_t thread = thread_new(collect_until_told, &collector);
  tide_blocking_enter(w.m);
  for (int i = 0; i < 500; i++) {
    atomic_fetch_add(&variable, 1);
    tide_collect_await(w.heap);
    uint64_t before = collections(&w);
    for (int j = 0; j < 100; j++)
      cr_assert_eq(atomic_load(&begun), 0);
    cr_assert_eq(collections(&w), before);
    atomic_fetch_sub(&variable, 1);
    sched_yield();
  }
  atomic_store(&collector.ended, true);
  pthread_join(thread, NULL);
  tide_blocking_leave(w.m);
  tide_collect_await(NULL);
  variable = 1;
  cr_assert_eq(tide_collect(w.m), TIDE_ERROR_STATE);
  cr_assert_eq(tide_collect_pause_by(w.heap, NULL), TIDE_OK);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
}

/* Garbage that is made in short pauses only: what comes between two of them needs no new block. */
static void expect_made_up_for(struct world *w, int *variable) {
  if (variable) cr_assert_eq(tide_collect_pause_by(w->heap, variable), TIDE_OK);
  for (int i = 0; i < 4000; i++) {
    if (variable)
      *variable = 1;
    else
      cr_assert_eq(tide_collect_pause(w->heap), TIDE_OK);
    uint64_t before = collections(w);
    cr_assert_not_null(tide_alloc(w->m, TIDE_LAYOUT_LEAF, 40000));
    cr_assert_eq(collections(w), before);
    if (variable)
      *variable = 0;
    else
      cr_assert_eq(tide_collect_resume(w->heap), TIDE_OK);
    cr_assert_not_null(tide_alloc(w->m, TIDE_LAYOUT_LEAF, 48));
  }
  cr_assert_leq(stats_of(w->heap).peak_committed_bytes, 10 * MIB);
}

HeapTest(pause, short_ones_are_made_up_for) {
  int variable = 0;
  expect_made_up_for(&w, NULL);
  expect_made_up_for(&w, &variable);
}

YoungTest(pause, short_ones_are_made_up_for_by_young_collections) {
  int variable = 0;
  expect_made_up_for(&w, NULL);
  expect_made_up_for(&w, &variable);
  cr_assert_gt(stats_of(w.heap).young_collections, 0);
}

/* The thread that found a collection due polls only. */
HeapTest(pause, a_safepoint_makes_up_for_one) {
  cr_assert_eq(tide_collect_pause(w.heap), TIDE_OK);
  cr_assert(churn(&w, 20));
  tide_safepoint(w.m);
  cr_assert_eq(collections(&w), 0);
  cr_assert_eq(tide_collect_resume(w.heap), TIDE_OK);
  cr_assert_eq(collections(&w), 0, "to resume is no safepoint");
  tide_safepoint(w.m);
  cr_assert_eq(collections(&w), 1);
  tide_safepoint(w.m);
  cr_assert_eq(collections(&w), 1);
}

EVENT(pause_in_event) {
  if (event != TIDE_EVENT_MARK_END) return;
  cr_assert_eq(tide_collect_pause(heap), TIDE_ERROR_STATE);
  cr_assert_eq(tide_collect_resume(heap), TIDE_ERROR_STATE);
  cr_assert_eq(tide_collect_pause_by(heap, context), TIDE_ERROR_STATE);
  cr_assert_eq(tide_heap_set_max(heap, 32 * MIB, NULL), TIDE_ERROR_STATE);
  cr_assert_eq(tide_heap_set_sizing(heap, TIDE_SIZING_FIXED, 0, NULL), TIDE_ERROR_STATE);
  ++*(int *)context;
}

Test(pause, refusals) {
  cr_assert_eq(tide_collect_pause(NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_collect_resume(NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_collect_pause_by(NULL, &(int){0}), TIDE_ERROR_ARGUMENT);
  SCOPED_WORLD w = world_new();
  int count = 0;
  tide_heap_on_event(w.heap, pause_in_event, &count);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(count, 1);
}

static void add_external(struct world *w, ptrdiff_t bytes) {
  cr_assert_eq(tide_external_add(w->m, bytes), TIDE_OK);
}

HeapTest(external, brings_collections_about) {
  add_external(&w, (ptrdiff_t)MIB);
  tide_safepoint(w.m);
  cr_assert_eq(collections(&w), 0);
  /* What is freed as fast as it is taken needs none. */
  for (int i = 0; i < 1000; i++) {
    add_external(&w, (ptrdiff_t)MIB);
    add_external(&w, -(ptrdiff_t)MIB);
    tide_safepoint(w.m);
  }
  cr_assert_eq(collections(&w), 0);
  /* What stays does, ever more seldom; though the heap itself is empty. */
  for (int i = 0; i < 1000; i++) {
    uint64_t before = collections(&w);
    add_external(&w, (ptrdiff_t)MIB);
    cr_assert_eq(collections(&w), before, "to tell is no safepoint");
    tide_safepoint(w.m);
  }
  uint64_t first = collections(&w);
  cr_assert_gt(first, 0);
  cr_assert_lt(first, 30, "%d collections of 1000", (int)first);
  add_external(&w, -(ptrdiff_t)(1001 * MIB));
}

/* Small objects, each with a buffer of 1 MiB: the next allocation collects, however small. */
YoungTest(external, brings_young_collections_about_at_once) {
  size_t out = 0;
  for (int i = 0; i < 200; i++) {
    uint64_t before = collections(&w);
    cr_assert_not_null(tide_alloc(w.m, TIDE_LAYOUT_LEAF, 48));
    if (collections(&w) != before) { /* as if all but the newest had died */
      cr_assert_eq(cycle_of(w.heap).kind, TIDE_CYCLE_YOUNG);
      add_external(&w, -(ptrdiff_t)out);
      out = 0;
    }
    add_external(&w, (ptrdiff_t)MIB);
    out += MIB;
    cr_assert_leq(out, stats_of(w.heap).young_bytes + 2 * MIB);
  }
  cr_assert_gt(collections(&w), 20);
}

/* What dies in a collection is told of when it has ended: its room is not that of what lives. */
HeapTest(external, what_is_freed_afterwards_makes_no_room) {
  cr_assert_eq(tide_heap_set_sizing(w.heap, TIDE_SIZING_GROWTH, 2.0, NULL), TIDE_OK);
  uint64_t before = stats_of(w.heap).next_collection_bytes;
  add_external(&w, (ptrdiff_t)(100 * MIB));
  tide_safepoint(w.m);
  cr_assert_eq(collections(&w), 1);
  cr_assert_eq(cycle_of(w.heap).cause, TIDE_CAUSE_EXTERNAL);
  add_external(&w, -(ptrdiff_t)(100 * MIB));
  cr_assert_eq(stats_of(w.heap).next_collection_bytes, before);
}

EVENT(add_in_event) {
  if (event == TIDE_EVENT_HEAP_GREW) return;
  cr_assert_eq(tide_external_add(tide_current(heap), (ptrdiff_t)MIB), TIDE_OK);
  cr_assert_eq(tide_external_add(tide_current(heap), -(ptrdiff_t)MIB), TIDE_OK);
  ++*(int *)context;
}

YoungTest(external, may_be_told_of_anywhere) {
  int count = 0;
  tide_heap_on_event(w.heap, add_in_event, &count);
  add_external(&w, (ptrdiff_t)MIB);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(tide_collect_young(w.m), TIDE_OK);
  cr_assert_gt(count, 8);
  cr_assert_eq(w.heap->space.young_bytes, 0);
  tide_blocking_enter(w.m);
  add_external(&w, (ptrdiff_t)(100 * MIB));
  tide_blocking_leave(w.m);
  cr_assert_eq(collections(&w), 2);
  cr_assert_not_null(tide_alloc(w.m, TIDE_LAYOUT_LEAF, 16));
  cr_assert_gt(collections(&w), 2);
}

/* Allocation and external memory use up the same room. */
HeapTest(external, counts_together_with_objects) {
  /* The room for more does not depend on how fast this machine happens to be. */
  cr_assert_eq(tide_heap_set_sizing(w.heap, TIDE_SIZING_GROWTH, 2.0, NULL), TIDE_OK);
  cr_assert_not_null(tide_handle(w.m, tide_alloc(w.m, TIDE_LAYOUT_LEAF, 16 * MIB)));
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  uint64_t before = stats_of(w.heap).next_collection_bytes;
  add_external(&w, (ptrdiff_t)(8 * MIB));
  cr_assert_eq(stats_of(w.heap).next_collection_bytes, before - 8 * MIB);
  add_external(&w, -(ptrdiff_t)(8 * MIB));
  cr_assert_eq(stats_of(w.heap).next_collection_bytes, before);
}

HeapTest(external, refusals) {
  cr_assert_eq(tide_external_add(w.m, -1), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_external_add(w.m, PTRDIFF_MAX), TIDE_OK);
  cr_assert_eq(tide_external_add(w.m, 1), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_external_add(w.m, PTRDIFF_MIN), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_external_add(w.m, -PTRDIFF_MAX), TIDE_OK);
  cr_assert(churn(&w, 100));
}

HeapTest(limits, the_limit_moves) {
  struct tide_error error;
  cr_assert_eq(tide_heap_set_max(w.heap, 16 * MIB, &error), TIDE_OK);
  expect_refused(&w, tide_alloc(w.m, TIDE_LAYOUT_LEAF, 20 * MIB), TIDE_ERROR_MEMORY);
  void **kept = tide_handle(w.m, tide_alloc(w.m, TIDE_LAYOUT_LEAF, 10 * MIB));
  cr_assert_not_null(*kept);
  cr_assert_null(tide_alloc(w.m, TIDE_LAYOUT_LEAF, 10 * MIB));
  cr_assert_eq(tide_heap_set_max(w.heap, 100 * MIB, &error), TIDE_OK, "%s", error.text);
  cr_assert_not_null(tide_handle(w.m, tide_alloc(w.m, TIDE_LAYOUT_LEAF, 70 * MIB)));
  /* Below what is in use: nothing more until something dies. */
  cr_assert_eq(tide_heap_set_max(w.heap, 16 * MIB, &error), TIDE_OK);
  cr_assert_null(tide_alloc(w.m, TIDE_LAYOUT_LEAF, MIB));
  cr_assert_eq(stats_of(w.heap).heap_max_bytes, 16 * MIB);
}

HeapTest(limits, sizing_changes) {
  void **kept = tide_handle(w.m, tide_alloc(w.m, TIDE_LAYOUT_LEAF, 8 * MIB));
  cr_assert_not_null(*kept);
  cr_assert_eq(tide_heap_set_sizing(w.heap, TIDE_SIZING_GROWTH, 4.0, NULL), TIDE_OK);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_geq(stats_of(w.heap).next_collection_bytes, 32 * MIB);
  cr_assert_eq(tide_heap_set_sizing(w.heap, TIDE_SIZING_GROWTH, 1.5, NULL), TIDE_OK);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_leq(stats_of(w.heap).next_collection_bytes, 13 * MIB);
  cr_assert_eq(tide_heap_set_sizing(w.heap, TIDE_SIZING_FIXED, 0, NULL), TIDE_OK);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(stats_of(w.heap).next_collection_bytes, stats_of(w.heap).heap_max_bytes);
}

HeapTest(limits, refusals) {
  struct tide_error error;
  size_t wrong[] = {0, 1, MIB - 1, SIZE_MAX, PTRDIFF_MAX};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    cr_assert_eq(tide_heap_set_max(w.heap, wrong[i], &error), TIDE_ERROR_ARGUMENT);
    cr_assert_neq(error.text[0], 0);
  }
  cr_assert_eq(tide_heap_set_max(NULL, 16 * MIB, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_heap_set_sizing(NULL, TIDE_SIZING_FIXED, 0, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_heap_set_sizing(w.heap, (enum tide_sizing)9, 0, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_heap_set_sizing(w.heap, TIDE_SIZING_GROWTH, 1.0, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_heap_set_sizing(w.heap, TIDE_SIZING_GROWTH, -2, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_heap_set_sizing(w.heap, TIDE_SIZING_GROWTH, 1e9, NULL), TIDE_ERROR_ARGUMENT);
}

HeapTest(budget, memory_that_had_to_be_added_is_kept_for_some_cycles) {
  struct td_sizing *sizing = &w.heap->when->sizing;
  uint32_t before = td_sizing_keep(sizing), added = (uint32_t)(20 * MIB / TD_BLOCK_BYTES);
  cr_assert(tide_heap_grow(w.heap, 20 * MIB));
  cr_assert_geq(td_sizing_keep(sizing), added);
  for (unsigned i = 1; i < TD_KEEP_CYCLES; i++)
    cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_geq(td_sizing_keep(sizing), added);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(td_sizing_keep(sizing), before);
}
