/* SPDX-License-Identifier: MIT */
/* Heaps that cannot be marked beside the program say why and are marked stopped; options that
 * contradict each other are refused; and a store without the barrier is found. */
#include <limits.h>
#include <stdatomic.h>

#include "tests/concurrent/held.h"
#include "tide/foreign.h"
#include "tide/layout.h"
#include "tide/weak.h"

static void expect_error(bool barrier, const char *environment, enum tide_status status,
                         const char *word) {
  struct tide_error error;
  if (environment) setenv("TIDE_CONCURRENT", environment, 1);
  struct tide_heap *heap =
      tide_heap_create(&OPTIONS(.write_barrier = barrier, .concurrent = !environment), &error);
  unsetenv("TIDE_CONCURRENT");
  CHECK(error.status == status && (status != TIDE_OK) == !heap);
  CHECK(!word || strstr(error.text, word));
  if (!heap) return;
  struct tide_mutator *m = ATTACH(heap);
  const bool is_concurrent = barrier && environment && *environment == '1';
  CHECK(tide_collect_begin(m) == (is_concurrent ? TIDE_OK : TIDE_ERROR_STATE));
  CHECK(tide_collect_young(m) == (barrier ? TIDE_OK : TIDE_ERROR_STATE));
  heap_end(heap, m);
}

static void options_are_checked(void) {
  expect_error(false, NULL, TIDE_ERROR_ARGUMENT, "write_barrier");
  expect_error(true, "2", TIDE_ERROR_ENVIRONMENT, "TIDE_CONCURRENT=2");
  expect_error(true, "1", TIDE_OK, NULL);
  expect_error(true, "0", TIDE_OK, NULL);
  expect_error(false, "1", TIDE_OK, NULL);
}

static void expect_goal(unsigned goal_us, const char *environment, const char *word) {
  struct tide_error error;
  if (environment) setenv("TIDE_PAUSE_GOAL_US", environment, 1);
  struct tide_heap *heap = tide_heap_create(
      &OPTIONS(.write_barrier = true, .concurrent = true, .pause_goal_us = goal_us), &error);
  unsetenv("TIDE_PAUSE_GOAL_US");
  CHECK(!word == (heap != NULL) && (!word || strstr(error.text, word)));
  if (!heap) return;
  CHECK((stats_of(heap).young_bytes > 0) == (goal_us || environment));
  CHECK(tide_heap_destroy(heap) == TIDE_OK);
}

static void goals_are_checked(void) {
  expect_goal(0, NULL, NULL);
  expect_goal(100, NULL, NULL);
  expect_goal(1000000, "100", NULL);
  expect_goal(0, "500", NULL);
  expect_goal(99, NULL, "pause_goal_us");
  expect_goal(1000001, NULL, "pause_goal_us");
  expect_goal(UINT_MAX, NULL, "pause_goal_us");
  expect_goal(0, "99", "TIDE_PAUSE_GOAL_US=99");
  expect_goal(0, "4294967396", "TIDE_PAUSE_GOAL_US=4294967396");
  expect_goal(0, "0", "TIDE_PAUSE_GOAL_US=0");
  expect_goal(0, "fast", "TIDE_PAUSE_GOAL_US=fast");
}

static void open_large(struct held *held) {
  held_open(held, &OPTIONS(.heap_max_bytes = (size_t)256 << 20));
}

static struct tide_cycle_stats collect(struct held *held) {
  CHECK(tide_collect_begin(held->m) == TIDE_OK);
  while (held_collections(held) == 0)
    tide_safepoint(held->m);
  return cycle_of(held->heap);
}

static void trace_nothing(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {}

static void expect_stopped(void (*spoil)(struct held *), const char *word) {
  struct held held = {0};
  open_large(&held);
  spoil(&held);
  struct tide_cycle_stats stats = collect(&held);
  CHECK(stats.stopped_because && strstr(stats.stopped_because, word));
  CHECK(stats.concurrent_ns == 0 && stats.stops == 1);
  const struct tide_heap_stats all = stats_of(held.heap);
  CHECK(all.degenerate_collections == 1 && all.concurrent_collections == 0);
  held_close(&held);
}

static void add_traced(struct held *held) {
  struct tide_error error;
  CHECK(tide_layout_traced_concurrent(NULL, trace_nothing, NULL, &error) == TIDE_LAYOUT_INVALID);
  CHECK(error.status == TIDE_ERROR_ARGUMENT && strstr(error.text, "_concurrent: heap is NULL"));
  CHECK(tide_layout_traced_concurrent(held->heap, NULL, NULL, &error) == TIDE_LAYOUT_INVALID);
  CHECK(error.status == TIDE_ERROR_ARGUMENT && strstr(error.text, "trace is NULL"));
  CHECK(tide_layout_traced(held->heap, trace_nothing, NULL, NULL) != TIDE_LAYOUT_INVALID);
}

static void add_weak_slot(struct held *held) {
  static void *slot;
  slot = tide_alloc(held->m, TIDE_LAYOUT_LEAF, 16);
  CHECK(slot && tide_weak_slot_add(held->m, &slot, slot, TIDE_WEAK_BEFORE) == TIDE_OK);
}

static void attach_by_signal(struct held *held) {
  CHECK(tide_detach(held->m) == TIDE_OK);
  held->m = ATTACH(held->heap, .stop = TIDE_STOP_SIGNAL);
}

/* ---- A store that was not told ---- */

static void open_verified(struct held *held) {
  setenv("TIDE_VERIFY", "1", 1);
  open_large(held);
}

static void **array; /* a root */

/* In a thread of its own: no stack has the reference. */
static void *fill(void *heap) {
  SCOPED_MUTATOR m = ATTACH(heap);
  void *object = tide_alloc(m, TIDE_LAYOUT_REFS, 64);
  tide_write(m, array, &array[1], object);
  return NULL;
}

static void open_filled(struct held *held) {
  open_verified(held);
  CHECK(tide_root_add(held->heap, &array) == TIDE_OK);
  array = tide_alloc_array(held->m, TIDE_LAYOUT_REFS, 64, sizeof *array);
  thread_end(held->m, thread_new(fill, held->heap));
}

static void store_untold(const void *unused) {
  struct held held = {0};
  open_filled(&held);
  held_begin(&held);
  void **fresh = tide_alloc(held.m, TIDE_LAYOUT_REFS, 64); /* marked, and never looked into */
  fresh[1] = array[1];
  *(void *volatile *)&array[1] = NULL; /* the only reference that marking would have found */
  tide_write(held.m, array, &array[2], fresh);
  fresh = NULL;
  held_end(&held);
}

/* ---- A reference that was hidden when marking began ---- */

static _Atomic(uintptr_t) hidden;
static struct tide_weak *weak; /* to it, if the test wants one; nobody gets it out there */
static bool has_weak;

/* In a thread of its own, on whose stack alone the reference was. */
static void *hide(void *heap) {
  SCOPED_MUTATOR m = ATTACH(heap);
  hidden = ~(uintptr_t)tide_alloc(m, TIDE_LAYOUT_REFS, 64);
  if (has_weak) weak = tide_weak_new(m, (void *)~hidden, TIDE_WEAK_BEFORE);
  return NULL;
}

static void store_hidden(const void *unused) {
  struct held held = {0};
  open_verified(&held);
  void ***from =
      (void ***)tide_handle(held.m, tide_alloc_array(held.m, TIDE_LAYOUT_REFS, 64, sizeof(void *)));
  CHECK(tide_root_add(held.heap, &weak) == TIDE_OK);
  thread_end(held.m, thread_new(hide, held.heap));
  held_begin(&held);
  tide_write(held.m, *from, &(*from)[1], (void *)~hidden);
  tide_write(held.m, *from, &(*from)[1], NULL); /* marks it */
  held_end(&held);
}

/* Found though nothing leads there in the end: the program may still have it on a stack. */
static void overwrite_untold(const void *unused) {
  struct held held = {0};
  open_filled(&held);
  held_begin(&held);
  *(void *volatile *)&array[1] = NULL;
  held_end(&held);
}

/* ---- What comes while one goes on ---- */

static unsigned traced;
static void count_traced(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {
  traced++;
}

/* Its function counts on a world that stands still. */
static void a_layout_that_is_traced(void) {
  struct held held = {0};
  open_large(&held);
  held_begin(&held);
  tide_layout layout = tide_layout_traced(held.heap, count_traced, NULL, NULL);
  uintptr_t *object = new_object(held.m, layout, 64);
  object[0] = 3; /* encoded */
  tide_write(held.m, object, &object[0], NULL);
  CHECK(traced == 0);
  CHECK(!held_end(&held).stopped_because && traced == 0);
  held_close(&held);
}

static atomic_bool attached;
static void *attach_late(void *heap) {
  SCOPED_MUTATOR m = ATTACH(heap, .stop = TIDE_STOP_SIGNAL);
  attached = m != NULL;
  return NULL;
}

/* A stop could find it in the middle of a barrier: it waits. */
static void a_thread_that_is_stopped_by_a_signal(void) {
  struct held held = {0};
  open_large(&held);
  held_begin(&held);
  pthread_t thread = thread_new(attach_late, held.heap);
  BLOCKED(held.m, usleep(20000));
  CHECK(!attached);
  held_end(&held);
  thread_end(held.m, thread);
  CHECK(attached);
  held_close(&held);
}

static void do_nothing(void *object, void *context) {}

/* The collecting thread would wait for its own end. */
static unsigned refused;
static void call_what_waits(struct tide_heap *heap, enum tide_event event, uint64_t now_ns,
                            void *context) {
  if (event != TIDE_EVENT_RESUMED) return;
  CHECK(tide_collect_pause(heap) == TIDE_ERROR_STATE);
  CHECK(tide_heap_set_young(heap, TIDE_YOUNG_NEVER) == TIDE_ERROR_STATE);
  CHECK(tide_heap_set_max(heap, 1 << 26, NULL) == TIDE_ERROR_STATE);
  CHECK(tide_finalizers_pending(heap) == 1);
  refused++;
}

static void calls_in_events(void) {
  struct held held = {0};
  open_large(&held);
  const struct tide_finalizer_entry entry = {do_nothing, NULL, TIDE_FINALIZE_NO_ORDER};
  void *object = tide_alloc(held.m, TIDE_LAYOUT_LEAF, 16);
  CHECK(tide_finalizer_set(held.m, object, &entry, NULL) == TIDE_OK);
  CHECK(tide_finalizers_queue_all(held.m, NULL) == 1);
  tide_heap_on_event(held.heap, call_what_waits, NULL);
  collect(&held);
  CHECK(refused >= 2);
  held_close(&held);
}

/* Runs it in a child, which must be ended by TIDE_VERIFY, with these words. */
static void expect_end(void (*spoil)(const void *), const char *word, const char *other) {
  static char said[SAID_MOST];
  const int status = child_says(spoil, NULL, said);
  if (!WIFSIGNALED(status) || !strstr(said, word) || !strstr(said, other)) fputs(said, stderr);
  CHECK(WIFSIGNALED(status));
  CHECK(strstr(said, "TIDE_VERIFY") && strstr(said, word) && strstr(said, other));
}

int main(void) {
  unsetenv("TIDE_VERIFY"); /* where it is wanted it is set, and young collections depend on it */
  options_are_checked();
  goals_are_checked();
  expect_stopped(add_traced, "trace functions");
  expect_stopped(add_weak_slot, "weak slots");
  expect_stopped(attach_by_signal, "signal");
  expect_end(store_untold, "referred to by object", "byte 8; perhaps another was overwritten");
  expect_end(store_hidden, "no root led to it when that began", "64 bytes");
  expect_end(overwrite_untold, "but not marked", "64 bytes");
  has_weak = true;
  expect_end(store_hidden, "no root led to it when that began", "64 bytes");
  a_layout_that_is_traced();
  a_thread_that_is_stopped_by_a_signal();
  calls_in_events();
  return 0;
}
