/* SPDX-License-Identifier: MIT */
/* Calls that must not be made: told with an abort in debug builds, a defined error in others. */
#include "tests/unit/gc/common.h"
#include "tide/advanced.h"

HeapTest(misuse, objects_of_another_kind, .signal = TOLD) {
  SCOPED_WORLD other = world_new();
  struct pair *p = pair_new(&w, NULL, NULL, 1);
  struct tide_weak *weak = tide_weak_new(w.m, p, TIDE_WEAK_BEFORE);
  struct tide_ephemeron *ephemeron = tide_ephemeron_new(w.m, p, p);
  cr_assert_null(tide_weak_get(w.m, (struct tide_weak *)p));
  cr_assert_null(tide_weak_get(w.m, (struct tide_weak *)ephemeron));
  cr_assert_null(tide_weak_get(w.m, (struct tide_weak *)&w));
  cr_assert_null(tide_weak_get(other.m, weak));
  cr_assert_null(tide_ephemeron_key(w.m, (struct tide_ephemeron *)weak));
  cr_assert_null(tide_ephemeron_value(w.m, (struct tide_ephemeron *)p));
  tide_ephemeron_set(w.m, (struct tide_ephemeron *)p, w.m);
  cr_assert_eq(p->number, 1);
  cr_assert_null(p->right);
  cr_assert_eq(tide_weak_get(w.m, weak), p);
}

HeapTest(misuse, leaving_a_region_that_was_not_entered, .signal = TOLD) {
  tide_blocking_leave(w.m);
  pair_new(&w, NULL, NULL, 1);
}

Test(misuse, null_arguments_that_are_plain_errors) {
  cr_assert_null(tide_attach(NULL, NULL, NULL));
  cr_assert_eq(tide_heap_destroy(NULL), TIDE_OK);
  cr_assert_null(tide_current(NULL));
  cr_assert_null(tide_heap_of(NULL));
  cr_assert_eq(tide_root_add(NULL, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_root_add_range(NULL, NULL, 1), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_root_remove(NULL, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_finalizers_pending(NULL), 0);
  cr_assert_eq(tide_object_bytes(NULL, NULL), 0);
  cr_assert_null(tide_object_find(NULL, NULL));
  cr_assert_eq(tide_layout_bitmap(NULL, NULL, 0, NULL), TIDE_LAYOUT_INVALID);
  cr_assert_eq(tide_heap_snapshot(NULL, NULL, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_heap_set_engine(NULL, NULL, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_heap_set_policy(NULL, NULL, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_heap_set_markers(NULL, 1, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_alloc_status(NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(stats_of(NULL).collections, 0);
  tide_options_init(NULL);
  tide_advanced_options_init(NULL);
  tide_attach_options_init(NULL);
  tide_heap_on_event(NULL, NULL, NULL);
  cr_assert_not_null(tide_status_text((enum tide_status)99));
}
