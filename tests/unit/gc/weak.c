/* SPDX-License-Identifier: MIT */
/* Weak references and ephemerons. */
#include "tests/unit/gc/common.h"

HeapTest(weak, targets_that_are_no_references_stay) {
  expect_refused(&w, tide_weak_new(w.m, NULL, (enum tide_weak_kind)9), TIDE_ERROR_ARGUMENT);
  void **weak = tide_handle(w.m, tide_weak_new(w.m, (void *)9, TIDE_WEAK_BEFORE));
  tide_collect(w.m);
  cr_assert_eq(tide_weak_get(w.m, (struct tide_weak *)*weak), (void *)9);
}

Test(weak, survives_the_allocation_that_collects) {
  cr_assert_eq(setenv("TIDE_STRESS", "1", 1), 0);
  SCOPED_WORLD w = world_new();
  void **weak = tide_handle(w.m, NULL);
  *weak = tide_weak_new(w.m, pair_new(&w, NULL, NULL, 3), TIDE_WEAK_BEFORE);
  struct pair *target = tide_weak_get(w.m, (struct tide_weak *)*weak);
  cr_assert_not_null(target);
  cr_assert_eq(target->number, 3);
  tide_collect(w.m);
  cr_assert_null(tide_weak_get(w.m, (struct tide_weak *)*weak));
}

HeapTest(ephemeron, a_key_that_is_no_reference_lives_for_ever) {
  void **e = tide_handle(w.m, NULL);
  *e = tide_ephemeron_new(w.m, (void *)17, pair_new(&w, NULL, NULL, 2));
  cr_assert_eq(live_after_collect(&w), 2);
}

/* Ephemeron i: key i, value key i + 1; all held by an array; only key 0 is held. Long enough
 * that the rounds give up and the serial closure takes over. If `boxed`, the value is an array with
 * the key and a weak reference to it. */
static void chain(uint64_t length, bool backwards, bool boxed) {
  SCOPED_WORLD w = world_new();
  void **all = held(&w, tide_alloc(w.m, TIDE_LAYOUT_REFS, length * 8));
  void **key = tide_handle(w.m, pair_new(&w, NULL, NULL, 0));
  void **last = tide_handle(w.m, *key), **fresh = tide_handle(w.m, NULL);
  void **weak = tide_handle(w.m, NULL), **value = tide_handle(w.m, NULL);
  for (uint64_t i = 0; i < length; i++) {
    *value = *fresh = pair_new(&w, NULL, NULL, i + 1);
    if (boxed) {
      *weak = tide_weak_new(w.m, *fresh, TIDE_WEAK_BEFORE);
      *value = tide_alloc(w.m, TIDE_LAYOUT_REFS, 48);
      ((void **)*value)[0] = *fresh;
      ((void **)*value)[1] = *weak;
    }
    struct tide_ephemeron *e = tide_ephemeron_new(w.m, *last, *value);
    cr_assert_not_null(all[backwards ? length - 1 - i : i] = e);
    *last = *fresh;
  }
  *last = *fresh = *weak = *value = NULL;
  cr_assert_eq(live_after_collect(&w), 2 + (boxed ? 4 : 2) * length);
  struct tide_ephemeron *first = all[0];
  void **box = tide_ephemeron_value(w.m, first);
  if (boxed) cr_assert_not_null(tide_weak_get(w.m, (struct tide_weak *)box[1]));
  *key = NULL;
  cr_assert_eq(live_after_collect(&w), 1 + length); /* the ephemerons are left, empty */
  tide_ephemeron_set(w.m, first, first);
  cr_assert_null(tide_ephemeron_value(w.m, first));
}

Test(ephemeron, chains) {
  chain(50, false, false);
  chain(60000, false, false);
  chain(60000, true, false);
  chain(20000, true, true);
}
