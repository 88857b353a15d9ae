/* Pinned objects: alive until unpinned or freed, many of them, and by several threads. */
#include "tests/unit/gc/common.h"

Test(pins, keep_an_object_and_what_it_refers_to) {
  struct world w = world_new();
  struct pair *leaf = pair_new(&w, NULL, NULL, 1);
  void **slot = tide_handle(w.m, leaf);
  struct pair *p = pair_new(&w, *slot, NULL, 2);
  *slot = NULL;
  cr_assert_eq(tide_object_pin(w.m, p), TIDE_OK);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(tide_count_marked(w.m), 2);
  cr_assert_eq(p->left->number, 1);
  expect_sound(&w);
  cr_assert_eq(tide_object_unpin(w.m, p), TIDE_OK);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(tide_count_marked(w.m), 0);
  world_end(&w);
}

Test(pins, refuse_what_makes_no_sense) {
  struct world w = world_new();
  struct pair *p = pair_new(&w, NULL, NULL, 1);
  cr_assert_eq(tide_object_pin(w.m, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_object_pin(w.m, &w), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_object_pin(w.m, (char *)p + 16), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_object_unpin(w.m, p), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_object_pin(w.m, p), TIDE_OK);
  cr_assert_eq(tide_object_pin(w.m, p), TIDE_ERROR_STATE);
  world_end(&w);
}

Test(pins, end_with_free) {
  struct world w = world_new();
  struct pair *p = pair_new(&w, NULL, NULL, 1);
  cr_assert_eq(tide_object_pin(w.m, p), TIDE_OK);
  cr_assert_eq(tide_free(w.m, p), TIDE_OK);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(tide_count_marked(w.m), 0);
  world_end(&w);
}

Test(pins, may_be_many) {
  enum { MANY = 200000 };
  static struct pair *kept[MANY];
  struct world w = world_new();
  for (int i = 0; i < MANY; i++) {
    kept[i] = pair_new(&w, NULL, NULL, (uint64_t)i);
    cr_assert_eq(tide_object_pin(w.m, kept[i]), TIDE_OK);
  }
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(tide_count_marked(w.m), MANY);
  for (int i = 0; i < MANY; i += 2)
    cr_assert_eq(tide_object_unpin(w.m, kept[i]), TIDE_OK);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(tide_count_marked(w.m), MANY / 2);
  for (int i = 1; i < MANY; i += 2)
    cr_assert_eq(kept[i]->number, (uint64_t)i);
  world_end(&w);
}
