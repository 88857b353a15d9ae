/* SPDX-License-Identifier: MIT */
/* What the headers promise and nothing else tests: the barrier after the store, for state outside
 * of an object and in events; which thread runs what; what a trace function may change. */
#include "gc/state/heap.h"
#include "tests/unit/gc/young.h"

/* For a thread that polls the order of both is free, as long as no safepoint lies between them. */
YoungTest(contracts, the_barrier_may_follow_the_store) {
  struct pair *old = held(&w, pair_new(&w, NULL, NULL, 1));
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  old->left = pair_new(&w, NULL, NULL, 2);
  tide_write_begin(w.m, old, &old->left, 1);
  cr_assert_eq(count_after_young(&w), 2);
  cr_assert_eq(old->left->number, 2);
}

/* References in memory of the program's, that a trace function finds: the object is named. */
struct outside {
  void **slots;
  uint64_t traced;
};
static pthread_t traced_by[64];
static _Atomic(unsigned) traces;

TRACE(trace_outside) {
  struct outside *outside = object;
  traced_by[atomic_fetch_add(&traces, 1) % 64] = pthread_self();
  __atomic_fetch_add(&outside->traced, 1, __ATOMIC_RELAXED); /* what no layout reads */
  tide_trace_range(tracer, outside->slots, 100);
}

YoungTest(contracts, an_object_stands_for_what_it_refers_to_outside_of_the_heap) {
  void *slots[100] = {0};
  tide_layout layout = tide_layout_traced(w.heap, trace_outside, NULL, NULL);
  struct outside *outside = held(&w, tide_alloc(w.m, layout, sizeof *outside));
  outside->slots = slots;
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  for (int round = 0; round < 3; round++) {
    tide_write(w.m, outside, &slots[90], pair_new(&w, NULL, NULL, 3));
    cr_assert_eq(tide_collect_young(w.m), TIDE_OK);
    expect_sound(&w);
    cr_assert_eq(((struct pair *)slots[90])->number, 3);
  }
  cr_assert_geq(outside->traced, 4);
}

/* Stores in events, with the barrier: whatever the moment, nothing is lost, old or young. */
struct stores {
  struct world *w;
  struct pair *old, *young;
  enum tide_event at;
};
EVENT(store_in_event) {
  struct stores *stores = context;
  if (event != stores->at) return;
  tide_write(stores->w->m, stores->old, &stores->old->left, stores->young);
}

YoungTest(contracts, the_barrier_in_events) {
  for (int kind = 0; kind < 2; kind++)
    for (int at = TIDE_EVENT_CYCLE_BEGIN; at <= TIDE_EVENT_CYCLE_END; at++) {
      struct stores stores = {&w, NULL, NULL, (enum tide_event)at};
      stores.old = held(&w, pair_new(&w, NULL, NULL, 1));
      cr_assert_eq(tide_collect(w.m), TIDE_OK);
      void **handle = tide_handle(w.m, NULL);
      *handle = stores.young = pair_new(&w, NULL, NULL, 2);
      tide_heap_on_event(w.heap, store_in_event, &stores);
      cr_assert_eq(kind ? tide_collect(w.m) : tide_collect_young(w.m), TIDE_OK);
      tide_heap_on_event(w.heap, NULL, NULL);
      *handle = NULL;
      cr_assert_eq(tide_collect_young(w.m), TIDE_OK);
      expect_order(&w);
      cr_assert_eq(stores.old->left, stores.young);
      cr_assert_eq(stores.young->number, 2);
      cr_assert_eq(live_after_collect(&w), 2 * (uint64_t)(kind * 7 + at + 1));
    }
}

/* Events and root callbacks run on the thread that collects. Trace functions run on markers. */
static pthread_t told_on[64];
static unsigned told;
EVENT(note_thread) {
  if (told < 64) told_on[told++] = pthread_self();
}
ROOTS_OF(note_root_thread) {
  if (told < 64) told_on[told++] = pthread_self();
}

HeapTest(contracts, threads_of_callbacks) {
  cr_assert_eq(tide_heap_set_markers(w.heap, 1, NULL), TIDE_OK);
  void *slots[100] = {0};
  tide_layout layout = tide_layout_traced(w.heap, trace_outside, NULL, NULL);
  struct outside *outside = held(&w, tide_alloc(w.m, layout, sizeof *outside));
  outside->slots = slots;
  traces = 0;
  tide_heap_on_event(w.heap, note_thread, NULL);
  cr_assert_eq(tide_root_add_callback(w.heap, note_root_thread, NULL), TIDE_OK);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(told, 9);
  for (unsigned i = 0; i < told; i++)
    cr_assert(pthread_equal(told_on[i], pthread_self()));
  cr_assert_gt(traces, 0);
  cr_assert(pthread_equal(traced_by[0], pthread_self()), "one marker is the collecting thread");
}
