/* SPDX-License-Identifier: MIT */
/* Young collections look at roots of all kinds, and at those of their own heap only. */

#include "tests/unit/gc/young.h"

/* What lies outside of the heap is no reference, also to a young collection of either heap. */
Test(young_roots, do_not_lead_from_heap_to_heap) {
  SCOPED_WORLD a = world_young(), b = world_young();
  struct pair *of_a = pair_new(&a, NULL, NULL, 1);
  cr_assert_not_null(tide_handle(a.m, of_a));
  cr_assert_eq(count_after_young(&a), 1);
  struct pair *foreign = pair_new(&b, NULL, NULL, 2);
  tide_write(a.m, of_a, &of_a->left, foreign);
  cr_assert_eq(count_after_young(&a), 1);
  cr_assert_eq(of_a->left, foreign);
  cr_assert_eq(count_after_young(&b), 0);
  cr_assert_eq(live_after_collect(&a), 1);
  cr_assert_eq(tide_current(a.heap), a.m);
  cr_assert_eq(tide_current(b.heap), b.m);
  cr_assert_eq(tide_heap_destroy(a.heap), TIDE_ERROR_STATE);
}

YoungTest(young_roots, are_pinned_objects) {
  struct pair *pinned = pair_new(&w, NULL, NULL, 1);
  void **handle = tide_handle(w.m, pinned);
  tide_write(w.m, pinned, &pinned->left, pair_new(&w, NULL, NULL, 2));
  cr_assert_eq(tide_object_pin(w.m, pinned), TIDE_OK);
  *handle = NULL;
  cr_assert_eq(count_after_young(&w), 2, "young and pinned");
  tide_write(w.m, pinned, &pinned->right, pair_new(&w, NULL, NULL, 3));
  cr_assert_eq(count_after_young(&w), 3, "old and pinned");
  cr_assert_eq(pinned->left->number + pinned->right->number, 5);
  cr_assert_eq(tide_object_unpin(w.m, pinned), TIDE_OK);
  cr_assert_eq(count_after_young(&w), 3, "old garbage");
  cr_assert_eq(live_after_collect(&w), 0);
  struct pair *again = pair_new(&w, NULL, NULL, 4);
  cr_assert_eq(tide_object_pin(w.m, again), TIDE_OK);
  cr_assert_eq(tide_object_unpin(w.m, again), TIDE_OK);
  cr_assert_eq(count_after_young(&w), 0, "young garbage");
}
