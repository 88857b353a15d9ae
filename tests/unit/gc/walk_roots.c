/* SPDX-License-Identifier: MIT */
/* The walk: what it says of roots, and where it is refused. */
#include "tests/unit/gc/walk.h"

struct rooted {
  struct world w;
  void *slot, *range[3], *conservative[2], *called, *handle, *finalized;
};

ROOTS_OF(call_root) {
  tide_trace(tracer, ((struct rooted *)context)->called);
}

static void expect_root(const struct seen *seen, const void *target, enum tide_root_kind kind) {
  size_t found = 0;
  for (size_t i = 0; i < seen->count; i++)
    found += seen->roots[i].target == target && seen->roots[i].kind == kind;
  cr_assert_eq(found, 1);
}

LOOK(look_at_roots) {
  const struct rooted *r = context;
  struct seen seen = roots_of(walk);
  cr_assert_eq(seen.count, 7);
  expect_root(&seen, r->slot, TIDE_ROOT_SLOT);
  expect_root(&seen, r->range[0], TIDE_ROOT_SLOT);
  expect_root(&seen, r->range[2], TIDE_ROOT_SLOT);
  expect_root(&seen, (char *)r->conservative[1] - 5, TIDE_ROOT_CONSERVATIVE);
  expect_root(&seen, r->called, TIDE_ROOT_CALLBACK);
  expect_root(&seen, r->handle, TIDE_ROOT_SLOT);
  expect_root(&seen, r->finalized, TIDE_ROOT_SLOT);
  seen = (struct seen){.stop_after = 2};
  cr_assert_eq(tide_walk_roots(walk, see_root, &seen), TIDE_OK);
  cr_assert_eq(seen.count, 2);
  cr_assert_eq(roots_of(walk).count, 7, "after one that was ended");
}

FINALIZER(finalize) {}

Test(walk, roots_of_every_kind) {
  static struct rooted r;
  struct world *w = &r.w;
  r.w = world_new();
  cr_assert_eq(tide_root_add(w->heap, &r.slot), TIDE_OK);
  cr_assert_eq(tide_root_add_range(w->heap, r.range, 3), TIDE_OK);
  cr_assert_eq(tide_root_add_conservative(w->heap, r.conservative, sizeof r.conservative), TIDE_OK);
  cr_assert_eq(tide_root_add_callback(w->heap, call_root, &r), TIDE_OK);
  r.slot = pair_new(w, NULL, NULL, 1);
  r.range[0] = pair_new(w, NULL, NULL, 2);
  r.range[2] = pair_new(w, NULL, NULL, 3);
  r.conservative[1] = (char *)pair_new(w, NULL, NULL, 4) + 5;
  r.called = pair_new(w, NULL, NULL, 5);
  tide_handle(w->m, r.handle = pair_new(w, NULL, NULL, 6));
  r.finalized = pair_new(w, NULL, NULL, 7);
  cr_assert_eq(tide_finalizer_add(w->m, r.finalized, finalize, NULL), TIDE_OK);
  inspect(w, look_at_roots, &r); /* its collection finds the object dying: pending is a root */
  cr_assert_eq(tide_finalizers_run(w->m, SIZE_MAX), 1);
  world_end(w);
}

LOOK(look_at_stack) {
  struct seen seen = roots_of(walk);
  size_t found = 0;
  for (size_t i = 0; i < seen.count; i++) {
    cr_assert_eq(seen.roots[i].kind, TIDE_ROOT_CONSERVATIVE);
    found += seen.roots[i].target == *(void **)context;
  }
  cr_assert_gt(found, 0);
}

StackTest(walk, words_of_stacks_are_roots) {
  void *volatile kept = pair_new(&w, NULL, NULL, 1);
  inspect(&w, look_at_stack, (void *)&kept);
}

LOOK(must_not_run) {
  cr_assert_fail("it is called where that is not possible");
}

static void refused(struct tide_mutator *m, tide_inspect_fn look, enum tide_status status,
                    const char *why) {
  struct tide_error error = {.status = TIDE_OK};
  cr_assert_eq(tide_heap_inspect(m, look, NULL, &error), status);
  cr_assert_eq(error.status, status);
  cr_assert_not_null(strstr(error.text, why), "%s", error.text);
  cr_assert_not_null(strstr(error.text, "tide_heap_inspect"), "%s", error.text);
  cr_assert_eq(tide_heap_inspect(m, look, NULL, NULL), status);
}

SEE_OBJECT(see_object) {
  return true;
}

LOOK(look_with_nothing) {
  void *object = *(void **)context;
  struct tide_layout_info info;
  cr_assert_eq(tide_walk_objects(walk, NULL, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_walk_references(walk, object, NULL, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_walk_references(walk, NULL, see_reference, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_walk_references(walk, (char *)object + 8, see_reference, NULL),
               TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_walk_references(walk, &object, see_reference, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_walk_roots(walk, NULL, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_walk_layout(walk, TIDE_LAYOUT_LEAF, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_walk_layout(NULL, TIDE_LAYOUT_LEAF, &info), TIDE_ERROR_ARGUMENT);
}

HeapTest(walk, null, .signal = TOLD) {
  refused(NULL, must_not_run, TIDE_ERROR_ARGUMENT, "mutator is NULL");
  refused(w.m, NULL, TIDE_ERROR_ARGUMENT, "inspect is NULL");
  void *object = held(&w, pair_new(&w, NULL, NULL, 1));
  inspect(&w, look_with_nothing, &object);
  cr_assert_eq(tide_walk_count(NULL), 0);
  cr_assert_eq(tide_walk_layouts(NULL), 0);
  cr_assert_eq(tide_walk_number(NULL, object), TIDE_NO_NUMBER);
  cr_assert_eq(tide_walk_objects(NULL, see_object, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_walk_references(NULL, object, see_reference, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_walk_roots(NULL, see_root, NULL), TIDE_ERROR_ARGUMENT);
}

LOOK(look_and_act) {
  struct world *w = context;
  cr_assert_eq(stats_of(w->heap).collections, 1, "its own");
  cr_assert_eq(tide_finalizers_pending(w->heap), 0);
  refused(w->m, must_not_run, TIDE_ERROR_STATE, "not possible here");
  cr_assert_eq(tide_heap_snapshot(w->m, "/tmp/tide-inside", NULL), TIDE_ERROR_STATE);
}

HeapTest(walk, inside_itself, .signal = TOLD) {
  inspect(&w, look_and_act, &w);
  tide_handle(w.m, pair_new(&w, NULL, NULL, 2));
  cr_assert_eq(live_after_collect(&w), 1);
}

struct nested {
  unsigned roots, references;
};

static bool see_inner(UNUSED struct tide_walk *walk,
                      UNUSED const struct tide_walk_reference *reference, void *context) {
  ((struct nested *)context)->references++;
  return true;
}

static bool see_outer(struct tide_walk *walk, const struct tide_walk_root *root, void *context) {
  struct nested *nested = context;
  struct seen seen = {.count = 0};
  nested->roots++;
  cr_assert_eq(tide_walk_roots(walk, see_root, &seen), TIDE_ERROR_STATE);
  cr_assert_eq(tide_walk_references(walk, root->target, see_inner, nested), TIDE_OK);
  return true;
}

LOOK(look_nested) {
  cr_assert_eq(tide_walk_roots(walk, see_outer, context), TIDE_OK);
}

HeapTest(walk, questions_within_visits) {
  struct pair *inner = pair_new(&w, NULL, NULL, 1);
  for (int i = 0; i < 3; i++)
    tide_handle(w.m, pair_new(&w, inner, inner, 2));
  struct nested nested = {0};
  inspect(&w, look_nested, &nested);
  cr_assert_eq(nested.roots, 3);
  cr_assert_eq(nested.references, 6);
}
