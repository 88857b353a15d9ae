/* SPDX-License-Identifier: MIT */
/* What the embedder's functions may do while the library calls them: trace functions on marking
 * threads, events, the out-of-memory hook, finalizers, visits. */
#include "tests/unit/gc/common.h"

struct helper {
  struct world w;
  pthread_t collector;
  _Atomic(int) calls; /* on other threads than the collecting one */
  void (*act)(struct helper *);
  void *slot;
};

/* The collecting thread is slow, so that helpers get something to do. */
TRACE(trace_on_helper) {
  struct helper *helper = context;
  tide_trace_range(tracer, object, 2);
  if (pthread_equal(pthread_self(), helper->collector))
    for (volatile int i = 0; i < 3000; i++)
      continue;
  else if (helper->calls++ < 10)
    helper->act(helper);
}

static void collect_with_helper(void (*prepare)(struct world *), void (*act)(struct helper *)) {
  struct helper helper = {.w = WORLD(.markers = 4), .act = act};
  struct tide_mutator *m = helper.w.m;
  helper.collector = pthread_self();
  if (prepare) prepare(&helper.w);
  tide_layout traced = tide_layout_traced(helper.w.heap, trace_on_helper, &helper, NULL);
  enum { COUNT = 20000 };
  void **all = (void **)tide_alloc_array(m, TIDE_LAYOUT_REFS, COUNT, sizeof *all);
  cr_assert_not_null(tide_handle(m, all));
  for (int i = 0; i < COUNT; i++)
    all[i] = tide_alloc(m, traced, 32);
  for (int i = 0; i < 1000 && helper.calls == 0; i++)
    cr_assert_eq(tide_collect(m), TIDE_OK);
  cr_assert_gt(helper.calls, 0, "no helper took part");
  world_end(&helper.w);
}

static void act_on_heap(struct helper *helper) {
  struct tide_heap *heap = helper->w.heap;
  struct tide_error error;
  cr_assert(!tide_layout_prefixed(heap, 7, &error) && error.status == TIDE_ERROR_STATE);
  cr_assert_eq(tide_root_add(heap, &helper->slot), TIDE_ERROR_STATE);
  cr_assert_eq(tide_root_remove(heap, &helper->slot), TIDE_ERROR_STATE);
  cr_assert_null(tide_attach(heap, NULL, &error));
  cr_assert_eq(error.status, TIDE_ERROR_STATE);
  cr_assert_eq(tide_heap_set_markers(heap, 1, NULL), TIDE_ERROR_STATE);
  cr_assert_eq(tide_heap_destroy(heap), TIDE_ERROR_STATE);
  cr_assert_eq(tide_finalizers_pending(heap), 0);
  cr_assert_eq(tide_timeline_begin(heap, 16), TIDE_ERROR_STATE);
}

Test(callbacks, a_marking_thread_is_refused_what_waits_for_the_collection) {
  collect_with_helper(NULL, act_on_heap);
}

struct watcher {
  struct world w;
  enum tide_event awaited;
  int calls;
  bool allocates;
};

EVENT(act_in_event) {
  struct watcher *watcher = context;
  if (event != watcher->awaited) return;
  watcher->calls++;
  bool growth = event == TIDE_EVENT_HEAP_GREW;
  cr_assert_eq(tide_heap_set_markers(heap, 2, NULL), growth ? TIDE_OK : TIDE_ERROR_STATE);
  int slot = 0;
  if (!growth) {
    cr_assert_eq((tide_root_add)(heap, (void *)((uintptr_t)&slot & ~(uintptr_t)7)),
                 TIDE_ERROR_STATE);
    cr_assert_eq(tide_heap_destroy(heap), TIDE_ERROR_STATE);
  }
  if (growth || watcher->allocates) {
    cr_assert_eq(tide_detach(watcher->w.m), TIDE_ERROR_STATE);
    cr_assert_eq(tide_collect(watcher->w.m), growth ? TIDE_OK : TIDE_ERROR_STATE);
  }
  if (!watcher->allocates) return;
  cr_assert_null(tide_alloc(watcher->w.m, TIDE_LAYOUT_LEAF, 16));
  expect_refused(&watcher->w, tide_alloc(watcher->w.m, TIDE_LAYOUT_LEAF, 5000), TIDE_ERROR_STATE);
}

/* Grows the heap, and lets it shrink. Every object stays what it was: none that an event comes
 * between is lost. */
static void swing(enum tide_event awaited, bool allocates) {
  struct watcher watcher = {.w = world_new(), .awaited = awaited, .allocates = allocates};
  struct world *w = &watcher.w;
  cr_assert_not_null(tide_alloc(w->m, TIDE_LAYOUT_LEAF, 16)); /* a run for inlined code */
  tide_heap_on_event(w->heap, act_in_event, &watcher);
  void **head = list_new(w, 300000);
  uint64_t expected = 300000;
  for (struct pair *p = *head; p; p = p->left)
    cr_assert_eq(p->number, --expected);
  cr_assert_eq(expected, 0);
  *head = NULL;
  for (int i = 0; i < 20; i++)
    cr_assert_eq(tide_collect(w->m), TIDE_OK);
  cr_assert_gt(watcher.calls, 0);
  tide_heap_on_event(w->heap, NULL, NULL);
  world_end(w);
}

Test(callbacks, in_a_collection_and_when_the_heap_grew_or_shrank) {
  swing(TIDE_EVENT_CYCLE_BEGIN, false);
  swing(TIDE_EVENT_HEAP_GREW, false);
  swing(TIDE_EVENT_HEAP_SHRANK, false);
}
Test(callbacks, no_allocation_at_the_beginning_of_a_collection, .signal = TOLD) {
  swing(TIDE_EVENT_CYCLE_BEGIN, true);
}
Test(callbacks, no_allocation_when_the_heap_grew, .signal = TOLD) {
  swing(TIDE_EVENT_HEAP_GREW, true);
}
Test(callbacks, no_allocation_when_the_heap_shrank, .signal = TOLD) {
  swing(TIDE_EVENT_HEAP_SHRANK, true);
}

EVENT(fork_in_event) {
  if (event == TIDE_EVENT_CYCLE_END) fork();
}

Test(callbacks, fork_in_an_event_is_told_and_does_not_hang, .signal = SIGABRT, .timeout = 60) {
  struct world w = world_new();
  tide_heap_on_event(w.heap, fork_in_event, NULL);
  tide_collect(w.m);
}

struct hook {
  struct world *w;
  void **head;
  int calls;
  bool allocates;
};

static bool out_of_memory(void *context, size_t bytes) {
  struct hook *hook = context;
  struct tide_mutator *m = hook->w->m;
  hook->calls++;
  cr_assert_eq(tide_detach(m), TIDE_ERROR_STATE);
  tide_blocking_enter(m);
  tide_blocking_leave(m);
  if (hook->allocates) {
    cr_assert_null(tide_alloc(m, TIDE_LAYOUT_REFS, bytes));
    cr_assert_null(tide_alloc(m, TIDE_LAYOUT_LEAF, 16));
    cr_assert_eq(tide_alloc_status(m), TIDE_ERROR_STATE);
  }
  *hook->head = NULL;
  cr_assert_eq(tide_collect(m), TIDE_OK);
  char path[64];
  snprintf(path, sizeof path, "/tmp/tide-hook-%d", (int)getpid());
  cr_assert_eq(tide_heap_snapshot(m, path, NULL), TIDE_OK);
  cr_assert_eq(unlink(path), 0);
  return true;
}

static void fill_with_hook(bool allocates) {
  struct hook hook = {.allocates = allocates};
  SCOPED_WORLD w = WORLD(.heap_max_bytes = (size_t)4 << 20, .out_of_memory = out_of_memory,
                         .out_of_memory_context = &hook);
  hook.w = &w;
  hook.head = tide_handle(w.m, NULL);
  cr_assert_not_null(tide_alloc(w.m, TIDE_LAYOUT_LEAF, 16)); /* a run for inlined code */
  while (hook.calls < 3) {
    void **object = (void **)tide_alloc(w.m, TIDE_LAYOUT_REFS, 64);
    cr_assert_not_null(object);
    object[0] = *hook.head;
    *hook.head = object;
  }
  cr_assert_not_null(tide_alloc(w.m, TIDE_LAYOUT_LEAF, 16));
}

Test(callbacks, the_hook_may_do_all_but_allocate_and_detach) {
  fill_with_hook(false);
}
Test(callbacks, no_allocation_in_the_hook, .signal = TOLD) {
  fill_with_hook(true);
}

FINALIZER(detach_in_finalizer) {
  struct world *w = context;
  cr_assert_eq(tide_detach(w->m), TIDE_ERROR_STATE);
  cr_assert_not_null(tide_alloc(w->m, TIDE_LAYOUT_LEAF, 100));
}
HeapTest(callbacks, no_detach_in_a_finalizer) {
  for (int i = 0; i < 3; i++)
    tide_finalizer_add(w.m, tide_alloc(w.m, TIDE_LAYOUT_LEAF, 32), detach_in_finalizer, &w);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(tide_finalizers_run(w.m, 10), 3);
}

FINALIZER(end_thread) {
  pthread_exit(NULL);
}

static void *run_and_end(void *heap) {
  struct tide_mutator *m = mutator_of(heap, TIDE_STACK_PRECISE, TIDE_STOP_POLL);
  tide_finalizers_run(m, 1);
  return heap;
}

HeapTest(callbacks, a_thread_that_ends_in_a_finalizer) {
  tide_finalizer_add(w.m, tide_alloc(w.m, TIDE_LAYOUT_LEAF, 32), end_thread, NULL);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(tide_finalizers_pending(w.heap), 1);
  thread_end(w.m, thread_new(run_and_end, w.heap));
  cr_assert_eq(live_after_collect(&w), 0);
}

EVENT(cancel_in_event) {
  if (event != TIDE_EVENT_MARK_END) return;
  pthread_cancel(pthread_self());
  pthread_testcancel();
}

static void *collect_and_be_cancelled(void *heap) {
  struct tide_mutator *m = tide_attach(heap, NULL, NULL);
  tide_heap_on_event(heap, cancel_in_event, NULL);
  tide_collect(m);
  pthread_testcancel();
  return heap;
}

HeapTest(callbacks, a_thread_is_not_cancelled_inside_a_collection, .timeout = 60) {
  pthread_t thread = thread_new(collect_and_be_cancelled, w.heap);
  cr_assert_eq(thread_end(w.m, thread), PTHREAD_CANCELED);
  tide_heap_on_event(w.heap, NULL, NULL);
  struct tide_heap_stats stats = stats_of(w.heap);
  cr_assert_eq(stats.mutators, 1, "it was detached");
  cr_assert_eq(stats.collections, 1);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
}

static struct reader {
  struct tide_weak *weak;
  struct tide_ephemeron *ephemeron;
  struct tide_weak_table *table;
  void *object;
} reader;

static void act_look(struct helper *helper) {
  struct tide_mutator *m = helper->w.m;
  cr_assert_eq(tide_weak_get(m, reader.weak), reader.object);
  cr_assert_eq(tide_ephemeron_key(m, reader.ephemeron), reader.object);
  cr_assert_eq(tide_ephemeron_value(m, reader.ephemeron), reader.object);
  cr_assert_eq(tide_weak_table_count(m, reader.table), 1);
  cr_assert_eq(tide_weak_table_get(m, reader.table, reader.object), reader.object);
}

static void make_references(struct world *w) {
  reader.object = held(w, pair_new(w, NULL, NULL, 1));
  reader.weak = held(w, tide_weak_new(w->m, reader.object, TIDE_WEAK_BEFORE));
  reader.ephemeron = held(w, tide_ephemeron_new(w->m, reader.object, reader.object));
  reader.table = held(w, tide_weak_table_new(w->m));
  cr_assert(tide_weak_table_put(w->m, reader.table, reader.object, reader.object));
}

Test(callbacks, a_marking_thread_may_look) {
  collect_with_helper(make_references, act_look);
}

VISIT(look_in_visit) {
  struct world *w = context;
  if (layout == w->pair) {
    cr_assert_not_null(tide_weak_get(w->m, (struct tide_weak *)((struct pair *)object)->left));
    cr_assert_eq(tide_object_layout(w->heap, object), layout);
  }
  return true;
}

HeapTest(callbacks, a_visit_may_look) {
  struct pair *p = held(&w, pair_new(&w, NULL, NULL, 1));
  p->left = (struct pair *)tide_weak_new(w.m, p, TIDE_WEAK_BEFORE);
  cr_assert_eq(tide_heap_walk(w.m, look_in_visit, &w), TIDE_OK);
}
