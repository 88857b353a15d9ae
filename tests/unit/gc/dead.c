/* SPDX-License-Identifier: MIT */
/* Programs that are told of what dies: tide_layout_on_reclaim. */
#include "gc/state/heap.h"
#include "tests/unit/gc/young.h"
#include "tide/foreign.h"

/* What hangs on an object, and what is known of it. */
struct held {
  uint64_t number;
  struct pair *pair;
  char *buffer;
};

struct watch {
  _Atomic(uint64_t) told, empty, bytes;
  _Atomic(int) wrong;
  _Atomic(bool) stopped; /* the world stands still */
  struct tide_heap *heap;
};

RECLAIM(note) {
  struct held *held = object;
  struct watch *watch = context;
  watch->told++;
  watch->bytes += bytes;
  if (watch->stopped) watch->wrong++;
  if (!held->buffer) {
    watch->empty++;
    return;
  }
  if (strcmp(held->buffer, "buffer") != 0) watch->wrong++;
  free(held->buffer);
  held->buffer = NULL; /* who is told twice finds it empty */
}

static tide_layout told_layout(struct world *w, struct watch *watch) {
  struct tide_error error;
  size_t offset = offsetof(struct held, pair);
  tide_layout layout = tide_layout_offsets(w->heap, sizeof(struct held), &offset, 1, &error);
  layout = tide_layout_on_reclaim(w->heap, layout, note, watch, &error);
  cr_assert_neq(layout, TIDE_LAYOUT_INVALID, "%s", error.text);
  watch->heap = w->heap;
  return layout;
}

static struct held *held_new(struct tide_mutator *m, tide_layout layout, size_t bytes) {
  struct held *held = tide_alloc(m, layout, bytes);
  cr_assert_not_null(held);
  held->buffer = strdup("buffer");
  return held;
}

EVENT(note_stop) {
  struct watch *watch = context;
  if (event == TIDE_EVENT_STOPPED) watch->stopped = true;
  if (event == TIDE_EVENT_CYCLE_END) watch->stopped = false;
}

static const size_t sizes[] = {sizeof(struct held), 48, 1000, 30000, 40000, 300000, 3000000};
enum { SIZES = sizeof sizes / sizeof *sizes, EACH = 5 }; /* of each size die */

/* Of every size half die; of others nothing is told. */
static void expect_told_once(struct world w) {
  struct watch watch = {.told = 0};
  tide_layout layout = told_layout(&w, &watch);
  void *array = held(&w, tide_alloc(w.m, TIDE_LAYOUT_REFS, 2 * EACH * SIZES * sizeof(void *)));
  tide_heap_on_event(w.heap, note_stop, &watch);
  for (int i = 0; i < 2 * EACH * SIZES; i++) {
    if (i % 35 < 30) pair_new(&w, NULL, NULL, 1);
    struct held *object = held_new(w.m, layout, sizes[i % SIZES]);
    if (i % 2) tide_write(w.m, array, (void **)array + i, object);
  }
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(tide_reclaim(w.m, SIZE_MAX), 0);
  cr_assert_eq(watch.told, EACH * SIZES);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  expect_sound(&w);
  cr_assert_eq(tide_reclaim(w.m, SIZE_MAX), 0);
  cr_assert_eq(watch.told, EACH * SIZES, "once");
  for (int i = 0; i < 2 * EACH * SIZES; i++) {
    const struct held *object = ((struct held **)array)[i];
    if (object) cr_assert_str_eq(object->buffer, "buffer");
  }
  cr_assert_eq(watch.empty, 0);
  world_end(&w);
  cr_assert_eq(watch.told, 2 * EACH * SIZES, "the heap's end tells of all");
  cr_assert_eq(watch.wrong, 0);
}

Test(dead, are_told_of_once) {
  expect_told_once(world_new());
  expect_told_once(world_young());
  setenv("TIDE_VERIFY", "1", 1);
  expect_told_once(world_young());
  setenv("TIDE_STRESS", "3", 1);
  expect_told_once(world_young());
}

YoungTest(dead, are_told_of_by_young_collections) {
  static struct watch watch;
  tide_layout layout = told_layout(&w, &watch);
  struct held *kept = held(&w, held_new(w.m, layout, sizeof *kept));
  for (int i = 0; i < 500; i++)
    held_new(w.m, layout, sizeof *kept);
  cr_assert_eq(tide_collect_young(w.m), TIDE_OK);
  cr_assert_eq(watch.told, 0, "not in the pause");
  cr_assert_gt(tide_reclaim(w.m, 0), 0);
  cr_assert_eq(watch.told, 0);
  /* More dies beside those that wait, and what lives is freed by hand. */
  for (int i = 0; i < 500; i++)
    held_new(w.m, layout, sizeof *kept);
  cr_assert_eq(tide_collect_young(w.m), TIDE_OK);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  free(kept->buffer);
  cr_assert_eq(tide_free(w.m, kept), TIDE_OK);
  cr_assert_eq(tide_collect_young(w.m), TIDE_OK);
  expect_order(&w);
  cr_assert_eq(tide_reclaim(w.m, SIZE_MAX), 0);
  cr_assert_eq(w.heap->space.dying_free_blocks, 0);
  cr_assert_eq(watch.told - watch.empty, 1000);
  cr_assert_eq(watch.wrong, 0);
}

/* The program is told as it allocates, before memory is short and before a cell is used again. */
static void churn_in(struct world w, int objects) {
  struct watch watch = {.told = 0};
  tide_layout layout = told_layout(&w, &watch);
  for (int i = 0; i < objects; i++) {
    held_new(w.m, layout, sizes[i % 3]);
    if (i % 50 == 0) held_new(w.m, layout, 200000);
    if (i % 9 == 0) pair_new(&w, NULL, NULL, 1);
  }
  cr_assert_gt(collections(&w), 5);
  cr_assert_lt(stats_of(w.heap).peak_committed_bytes, 20 * MIB);
  cr_assert_gt(watch.told, (uint64_t)objects * 3 / 4);
  world_end(&w);
  cr_assert_eq(watch.told, (uint64_t)objects + (uint64_t)(objects + 49) / 50);
  cr_assert_eq(watch.empty, 0);
  cr_assert_eq(watch.wrong, 0);
}

Test(dead, are_told_of_by_allocation) {
  churn_in(world_new(), 100000);
  churn_in(world_young(), 100000);
}

/* A block holds 4096 objects at most. */
HeapTest(dead, are_told_of_a_block_at_a_time) {
  struct watch watch = {.told = 0};
  tide_layout layout = told_layout(&w, &watch);
  for (int i = 0; i < 40000; i++)
    held_new(w.m, layout, sizeof(struct held));
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  size_t left = tide_reclaim(w.m, 0);
  while (left > 0) {
    uint64_t before = watch.told;
    cr_assert_eq(tide_reclaim(w.m, 1), left - 1);
    cr_assert_leq(watch.told - before, 4096);
    left--;
  }
  cr_assert_eq(watch.told, 40000);
}

/* Memory outside the heap that small objects hold. */
struct outside {
  struct tide_mutator *m;
  size_t now, most;
};

RECLAIM(give_back) {
  struct outside *outside = context;
  size_t holds = *(size_t *)object;
  if (holds == 0) return;
  outside->now -= holds;
  if (outside->m) cr_assert_eq(tide_external_add(outside->m, -(ptrdiff_t)holds), TIDE_OK);
}

static void *hold(struct outside *outside, tide_layout layout, size_t bytes, size_t holds) {
  size_t *object = tide_alloc(outside->m, layout, bytes);
  *object = holds;
  cr_assert_eq(tide_external_add(outside->m, (ptrdiff_t)holds), TIDE_OK);
  outside->now += holds;
  if (outside->now > outside->most) outside->most = outside->now;
  return object;
}

/* The newest lives. */
static void expect_little_outside(struct world w, size_t each, size_t total) {
  struct outside outside = {w.m, 0, 0};
  tide_layout layout = tide_layout_on_reclaim(w.heap, TIDE_LAYOUT_LEAF, give_back, &outside, NULL);
  void **newest = tide_handle(w.m, NULL);
  for (size_t taken = 0; taken < total; taken += each)
    *newest = hold(&outside, layout, 16, each);
  cr_expect_lt(outside.most, 24 * MIB, "by %zu bytes: %zu", each, outside.most);
  outside.m = NULL; /* the heap's end tells of the rest */
  world_end(&w);
  cr_expect_eq(outside.now, 0);
}

/* What is allocated for that is too small to need their memory. */
HeapTest(dead, are_told_of_when_memory_is_taken_outside) {
  struct watch watch = {.told = 0};
  tide_layout layout = told_layout(&w, &watch);
  for (size_t bytes = 32; bytes <= 640; bytes += 16)
    held_new(w.m, layout, bytes);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_gt(tide_reclaim(w.m, 0), 20);
  for (int i = 0; i < 8; i++) {
    cr_assert_eq(tide_external_add(w.m, (ptrdiff_t)MIB / 4), TIDE_OK);
    pair_new(&w, NULL, NULL, 1);
  }
  cr_assert_eq(tide_reclaim(w.m, 0), 0);
  cr_assert_eq(collections(&w), 1);
}

Test(dead, make_no_room_by_what_they_held_outside) {
  expect_little_outside(world_new(), 512, 512 * MIB);
  expect_little_outside(world_new(), MIB, 2048 * MIB);
  expect_little_outside(world_young(), 512, 512 * MIB);
  expect_little_outside(world_young(), MIB, 2048 * MIB);
}

/* What has been alive for a while, too. */
Test(dead, do_not_keep_the_room_that_they_got) {
  SCOPED_WORLD w =
      WORLD(.sizing = TIDE_SIZING_GROWTH, .growth_factor = 10, .heap_max_bytes = (size_t)4 << 30);
  struct outside outside = {w.m, 0, 0};
  tide_layout layout = tide_layout_on_reclaim(w.heap, TIDE_LAYOUT_LEAF, give_back, &outside, NULL);
  enum { LIVE = 10000 };
  void **newest = held(&w, tide_alloc_array(w.m, TIDE_LAYOUT_REFS, LIVE, sizeof *newest));
  for (int i = 0; i < 200000; i++)
    newest[i % LIVE] = hold(&outside, layout, 48, 1000);
  memset(newest, 0, LIVE * sizeof *newest);
  for (int i = 0; i < 600000; i++) {
    if (i == 200000) outside.most = outside.now;
    (void)hold(&outside, layout, 48, 1000);
  }
  cr_expect_lt(outside.most, 24 * MIB, "%zu bytes", outside.most);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(tide_reclaim(w.m, SIZE_MAX), 0);
}

FINALIZER(keep) {
  ++*(int *)context;
}

/* An object is dead when its finalizers have run and it has died again. */
HeapTest(dead, are_those_that_no_finalizer_holds) {
  struct watch watch = {.told = 0};
  int finalized = 0;
  struct held *object = held_new(w.m, told_layout(&w, &watch), sizeof *object);
  cr_assert_eq(tide_finalizer_add(w.m, object, keep, &finalized), TIDE_OK);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  tide_reclaim(w.m, SIZE_MAX);
  cr_assert_eq(watch.told, 0);
  cr_assert_eq(tide_finalizers_run(w.m, 1), 1);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  tide_reclaim(w.m, SIZE_MAX);
  cr_assert_eq(watch.told, 1);
  cr_assert_eq(finalized, 1);
}

/* tide_free does not tell; an array is one object; names and functions go together. */
Test(dead, freed_arrays_and_names) {
  SCOPED_WORLD w = world_new();
  struct watch watch = {.told = 0}, other = {.told = 0};
  tide_layout layout = told_layout(&w, &watch);
  cr_assert_eq(told_layout(&w, &watch), layout);
  cr_assert_neq(told_layout(&w, &other), layout);
  tide_layout named = tide_layout_named(w.heap, layout, "held", NULL);
  cr_assert_neq(named, layout);
  for (int i = 0; i < 3; i++) {
    struct held *object = held_new(w.m, named, i == 2 ? 500000 : sizeof *object);
    free(object->buffer);
    cr_assert_eq(tide_free(w.m, object), TIDE_OK);
  }
  cr_assert_not_null(tide_alloc_array(w.m, layout, 10, sizeof(struct held)));
  cr_assert_eq(tide_detach(w.m), TIDE_OK); /* what was freed is nobody's then */
  w.m = mutator_of(w.heap, TIDE_STACK_PRECISE, TIDE_STOP_POLL);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(tide_reclaim(w.m, SIZE_MAX), 0);
  cr_assert_eq(watch.told, watch.empty);
  cr_assert_geq(watch.told, 1);
  cr_assert_geq(watch.bytes, 10 * sizeof(struct held));
}

struct worker {
  struct tide_heap *heap;
  tide_layout layout;
  enum tide_stop stop;
};

static void *work(void *data) {
  const struct worker *worker = data;
  SCOPED_MUTATOR m = mutator_of(worker->heap, TIDE_STACK_CONSERVATIVE, worker->stop);
  for (int i = 0; i < 10000; i++)
    held_new(m, worker->layout, sizes[i % 4]);
  return NULL;
}

static void expect_from_threads(struct world w, enum tide_stop stop) {
  struct watch watch = {.told = 0};
  struct worker worker = {w.heap, told_layout(&w, &watch), stop};
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    threads[i] = thread_new(work, &worker);
  threads_end(w.m, threads, 3);
  world_end(&w);
  cr_expect_eq(watch.told - watch.empty, 30000, "told %d empty %d", (int)watch.told,
               (int)watch.empty);
  cr_expect_eq(watch.wrong, 0);
}

Test(dead, of_several_threads) {
  expect_from_threads(world_new(), TIDE_STOP_POLL);
  expect_from_threads(world_young(), TIDE_STOP_POLL);
  expect_from_threads(world_new(), TIDE_STOP_SIGNAL);
  expect_from_threads(world_young(), TIDE_STOP_SIGNAL);
}

struct call_in {
  struct tide_mutator *m;
  struct pair *object;
  int calls;
};

RECLAIM(call_everything) {
  struct call_in *in = context;
  struct tide_heap *heap = tide_heap_of(in->m);
  cr_assert_eq(tide_external_add(in->m, 100), TIDE_OK);
  cr_assert_eq(tide_external_add(in->m, -100), TIDE_OK);
  cr_assert_gt(stats_of(heap).collections, 0);
  cr_assert_eq(tide_current(heap), in->m);
  in->calls++;
#ifndef TD_DEBUG /* which ends the process at the first one */
  cr_assert_null(tide_alloc(in->m, TIDE_LAYOUT_LEAF, 16));
  cr_assert_null(tide_alloc(in->m, TIDE_LAYOUT_LEAF, 100000));
  cr_assert_eq(tide_collect(in->m), TIDE_ERROR_STATE);
  cr_assert_eq(tide_free(in->m, in->object), TIDE_ERROR_STATE);
  cr_assert_eq(tide_object_pin(in->m, in->object), TIDE_ERROR_STATE);
  cr_assert_eq(tide_finalizer_add(in->m, object, keep, NULL), TIDE_ERROR_STATE);
  cr_assert_eq(tide_detach(in->m), TIDE_ERROR_STATE);
  cr_assert_null(tide_attach(heap, NULL, NULL));
  cr_assert_null(tide_weak_new(in->m, object, TIDE_WEAK_BEFORE));
  cr_assert_eq(tide_reclaim(in->m, SIZE_MAX), 0);
  cr_assert_eq(tide_heap_destroy(heap), TIDE_ERROR_STATE);
#endif
  cr_assert_eq(tide_root_add_callback(heap, NULL, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_collect_pause(heap), TIDE_ERROR_STATE);
  cr_assert_not(tide_object_is_live(heap, object));
}

HeapTest(dead, functions_may_call_little) {
  struct call_in in = {.m = w.m, .object = held(&w, pair_new(&w, NULL, NULL, 1))};
  tide_layout layout = tide_layout_on_reclaim(w.heap, w.pair, call_everything, &in, NULL);
  cr_assert_not_null(tide_alloc(w.m, layout, 32));
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(tide_reclaim(w.m, SIZE_MAX), 0);
  cr_assert_eq(in.calls, 1);
  cr_assert_not_null(tide_alloc(w.m, layout, 32));
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  while (in.calls == 1) /* inside an allocation */
    pair_new(&w, NULL, NULL, 1);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
}
