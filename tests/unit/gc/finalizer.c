/* SPDX-License-Identifier: MIT */
/* Finalizers: order, resurrection, weak references on the way. */
#include "tests/unit/gc/common.h"

static uint64_t ran[64];
static size_t ran_count;

FINALIZER(record) {
  ran[ran_count++] = ((struct pair *)object)->number;
}

static void add(struct world *w, void *object) {
  cr_assert_eq(tide_finalizer_add(w->m, object, record, NULL), TIDE_OK);
}

/* Collects and runs until nothing more comes; each collection's batch ends with 0 in `ran`. */
static void drain(struct world *w) {
  for (;;) {
    live_after_collect(w);
    cr_assert_eq(tide_finalizers_pending(w->heap) == 0 ? 0 : 1,
                 tide_finalizers_run(w->m, SIZE_MAX) > 0);
    if (ran_count == 0 || ran[ran_count - 1] == 0) return;
    ran[ran_count++] = 0;
  }
}

static void expect(const uint64_t *wanted, size_t count) {
  cr_assert_eq(ran_count, count, "%zu instead of %zu", ran_count, count);
  for (size_t i = 0; i < count; i++)
    cr_assert_eq(ran[i], wanted[i], "place %zu: %zu instead of %zu", i, (size_t)ran[i],
                 (size_t)wanted[i]);
}

static void **resurrected;
FINALIZER(resurrect) {
  record(object, context);
  *resurrected = object;
}

HeapTest(finalizer, resurrection_and_weak_references) {
  resurrected = tide_handle(w.m, NULL);
  struct pair *inner = pair_new(&w, NULL, NULL, 2), *outer = pair_new(&w, inner, NULL, 1);
  void **weak[4];
  for (int i = 0; i < 4; i++)
    weak[i] =
        tide_handle(w.m, tide_weak_new(w.m, i < 2 ? outer : inner, (enum tide_weak_kind)(i % 2)));
  /* A weak reference that only the dying object reaches, to something that only it reaches. */
  outer->right = (struct pair *)tide_weak_new(w.m, inner, TIDE_WEAK_BEFORE);
  cr_assert_eq(tide_finalizer_add(w.m, outer, resurrect, NULL), TIDE_OK);
  live_after_collect(&w);
  for (int i = 0; i < 4; i++)
    cr_assert_eq(tide_weak_get(w.m, (struct tide_weak *)*weak[i]) != NULL, i % 2 == 1);
  cr_assert_null(tide_weak_get(w.m, (struct tide_weak *)outer->right));
  cr_assert_eq(tide_finalizers_run(w.m, 1), 1);
  cr_assert_eq(((struct pair *)*resurrected)->left->number, 2);
  live_after_collect(&w);
  cr_assert_not_null(tide_weak_get(w.m, (struct tide_weak *)*weak[1]));
  cr_assert_eq(tide_finalizer_add(w.m, *resurrected, record, NULL), TIDE_OK, "again");
  *resurrected = NULL;
  live_after_collect(&w);
  cr_assert_eq(tide_finalizers_run(w.m, 1), 1);
  live_after_collect(&w);
  for (int i = 0; i < 4; i++)
    cr_assert_null(tide_weak_get(w.m, (struct tide_weak *)*weak[i]));
}

FINALIZER(count_call) {
  ++*(int *)context;
}

HeapTest(finalizer, several_of_one_object_and_removal) {
  int calls[3] = {0};
  void **object = tide_handle(w.m, pair_new(&w, NULL, NULL, 1));
  for (int i = 0; i < 3; i++)
    cr_assert_eq(tide_finalizer_add(w.m, *object, count_call, &calls[i]), TIDE_OK);
  cr_assert_eq(tide_finalizer_remove(w.m, *object), 3);
  cr_assert_eq(tide_finalizer_remove(w.m, *object), 0);
  for (int i = 0; i < 3; i++)
    cr_assert_eq(tide_finalizer_add(w.m, *object, count_call, &calls[i]), TIDE_OK);
  *object = NULL;
  live_after_collect(&w);
  cr_assert_eq(tide_finalizers_pending(w.heap), 3);
  cr_assert_eq(tide_finalizers_run(w.m, 2), 2);
  cr_assert_eq(live_after_collect(&w), 1);
  cr_assert_eq(tide_finalizers_run(w.m, 2), 1);
  for (int i = 0; i < 3; i++)
    cr_assert_eq(calls[i], 1);
  cr_assert_eq(tide_finalizer_add(w.m, NULL, count_call, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_finalizer_add(w.m, &w, count_call, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_finalizer_add(w.m, (char *)pair_new(&w, NULL, NULL, 1) + 8, count_call, NULL),
               TIDE_ERROR_ARGUMENT);
}

FINALIZER(allocate_much) {
  struct world *w = context;
  for (int i = 0; i < 1000; i++)
    pair_new(w, NULL, NULL, 0);
  tide_collect(w->m);
  cr_assert_eq(((struct pair *)object)->left->number, 1234, "the object is a root meanwhile");
  cr_assert_eq(tide_finalizers_run(w->m, 1), ((struct pair *)object)->number > 1);
}

HeapTest(finalizer, finalizers_may_allocate_collect_and_run_others) {
  for (uint64_t i = 10; i > 0; i--)
    cr_assert_eq(tide_finalizer_add(w.m, pair_new(&w, pair_new(&w, NULL, NULL, 1234), NULL, i),
                                    allocate_much, &w),
                 TIDE_OK);
  live_after_collect(&w);
  cr_assert_eq(tide_finalizers_run(w.m, 1), 1);
  cr_assert_eq(tide_finalizers_pending(w.heap), 0);
  cr_assert_eq(live_after_collect(&w), 0);
}

HeapTest(finalizer, many) {
  int calls = 0;
  for (int round = 0; round < 5; round++) {
    for (int i = 0; i < 20000; i++) {
      void *object = tide_alloc(w.m, TIDE_LAYOUT_LEAF, 32);
      cr_assert_eq(tide_finalizer_add(w.m, object, count_call, &calls), TIDE_OK);
      if (i % 4 == 0) cr_assert_eq(tide_finalizer_remove(w.m, object), 1);
    }
    live_after_collect(&w);
    while (tide_finalizers_run(w.m, 777) > 0) {
    }
    cr_assert_eq(calls, (round + 1) * 15000);
  }
  cr_assert_eq(live_after_collect(&w), 0);
}

HeapTest(finalizer, order_sees_conservative_and_large_objects) {
  /* 1 -> large conservative words -> inside of 2 -> conservative -> inside of a large one -> 3 */
  struct pair *three = pair_new(&w, NULL, NULL, 3), *two = pair_new(&w, NULL, NULL, 2);
  struct pair *one = pair_new(&w, NULL, NULL, 1);
  void **roots[] = {tide_handle(w.m, one), tide_handle(w.m, two), tide_handle(w.m, three)};
  uintptr_t *wide = (uintptr_t *)tide_alloc(w.m, TIDE_LAYOUT_CONSERVATIVE, 200000);
  one->left = (struct pair *)wide;
  wide[20000] = (uintptr_t)two + 20;
  wide[3] = (uintptr_t)&w;
  uintptr_t *words = (uintptr_t *)tide_alloc(w.m, TIDE_LAYOUT_CONSERVATIVE, 100);
  two->right = (struct pair *)words;
  void **large = (void **)tide_alloc(w.m, TIDE_LAYOUT_REFS, 300000);
  words[5] = (uintptr_t)large + 299999;
  large[30000] = three;
  add(&w, three);
  add(&w, two);
  add(&w, one);
  for (int i = 0; i < 3; i++)
    *roots[i] = NULL;
  cr_assert_eq(live_after_collect(&w), 6);
  drain(&w);
  expect((uint64_t[]){1, 0, 2, 0, 3, 0}, 6);
  cr_assert_eq(live_after_collect(&w), 0);
}
