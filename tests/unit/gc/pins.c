/* SPDX-License-Identifier: MIT */
/* Pinned objects: alive until unpinned or freed, many of them. */
#include <sys/resource.h>

#include "tests/unit/gc/child.h"
#include "tide/dropin.h"

HeapTest(pins, may_be_many) {
  enum { MANY = 200000 };
  static struct pair *kept[MANY];
  for (int i = 0; i < MANY; i++) {
    kept[i] = pair_new(&w, NULL, NULL, (uint64_t)i);
    cr_assert_eq(tide_object_pin(w.m, kept[i]), TIDE_OK);
  }
  cr_assert_eq(live_after_collect(&w), MANY);
  for (int i = 0; i < MANY; i += 2)
    cr_assert_eq(tide_object_unpin(w.m, kept[i]), TIDE_OK);
  cr_assert_eq(live_after_collect(&w), MANY / 2);
  for (int i = 1; i < MANY; i += 2)
    cr_assert_eq(kept[i]->number, (uint64_t)i);
}

/* What is let go and pinned anew before a collection is on the list once. */
HeapTest(pins, come_and_go_at_one_place) {
  struct pair *first = pair_new(&w, pair_new(&w, NULL, NULL, 1), NULL, 7);
  cr_assert_eq(tide_object_pin(w.m, first), TIDE_OK);
  for (int i = 0; i < 100000; i++) {
    struct pair *p = pair_new(&w, NULL, NULL, 1);
    cr_assert_eq(tide_object_pin(w.m, p), TIDE_OK);
    cr_assert_eq(tide_object_pin(w.m, p), TIDE_ERROR_STATE);
    cr_assert_eq(tide_free(w.m, p), TIDE_OK);
    if (i % 30000 == 0) cr_assert_eq(tide_collect(w.m), TIDE_OK);
  }
  for (int i = 0; i < 3; i++) {
    cr_assert_eq(tide_object_unpin(w.m, first), TIDE_OK);
    cr_assert_eq(tide_object_unpin(w.m, first), TIDE_ERROR_ARGUMENT);
    cr_assert_eq(tide_object_pin(w.m, first), TIDE_OK);
    cr_assert_eq(live_after_collect(&w), 2);
  }
  cr_assert_eq(first->number, 7);
  cr_assert_eq(first->left->number, 1);
  void *none[] = {NULL, &w, (char *)first + 16, (char *)first + 1};
  for (size_t i = 0; i < 4; i++) {
    cr_assert_eq(tide_object_pin(w.m, none[i]), TIDE_ERROR_ARGUMENT);
    cr_assert_eq(tide_object_unpin(w.m, none[i]), TIDE_ERROR_ARGUMENT);
  }
  cr_assert_eq(tide_object_unpin(w.m, first), TIDE_OK);
  cr_assert_eq(live_after_collect(&w), 0);
}

HeapTest(pins, are_told_and_move_nowhere) {
  struct tide_object_facts facts;
  struct pair *held = pair_new(&w, NULL, NULL, 1), *free_one = pair_new(&w, NULL, NULL, 2);
  (void)tide_handle(w.m, free_one);
  cr_assert(tide_object_look(w.m, held, &facts) && !facts.pinned);
  cr_assert_eq(tide_object_pin(w.m, held), TIDE_OK);
  cr_assert(tide_object_look(w.m, held, &facts) && facts.pinned);
  cr_assert(tide_object_look(w.m, free_one, &facts) && !facts.pinned);
  (void)tide_alloc(w.m, w.pair, 200); /* so that there are cells of that size */
  cr_assert_null(tide_object_replace(w.m, held, 200));
#ifndef TD_SANITIZE_address /* nothing moves, because dead cells are poisoned */
  struct pair *moved = tide_object_replace(w.m, free_one, 200);
  cr_assert(moved && moved->number == 2, "others may move where something is pinned");
#endif
}

/* Where the first object is pinned, only the bytes around it may be written, not one for every
 * object that the heap's range could hold. */
Test(pins, need_little_of_what_may_be_written) {
#if defined(TD_SANITIZE_address)
  cr_skip_test("AddressSanitizer needs memory of its own");
#endif
  SCOPED_WORLD w = world_new();
  struct pair *p = pair_new(&w, NULL, NULL, 1);
  struct rlimit limit;
  cr_assert_eq(getrlimit(RLIMIT_DATA, &limit), 0);
  size_t bytes = data_bytes();
  cr_assert_gt(bytes, 0);
  limit.rlim_cur = bytes + ((size_t)3 << 20);
  cr_assert_eq(setrlimit(RLIMIT_DATA, &limit), 0);
  cr_assert_eq(tide_object_pin(w.m, p), TIDE_OK);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(tide_count_marked(w.m), 1);
}
