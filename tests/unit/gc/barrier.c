/* The write barrier, and roots that are none. */
#include "tests/unit/gc/common.h"

HeapTest(barrier, stores_the_value) {
  struct pair *left = held(&w, pair_new(&w, NULL, NULL, 1));
  struct pair *pair = held(&w, pair_new(&w, NULL, NULL, 2));
  tide_write(w.m, pair, &pair->left, left);
  cr_assert_eq(pair->left, left);
  cr_assert_eq(live_after_collect(&w), 2);
  tide_write(w.m, pair, &pair->left, NULL);
  cr_assert_null(pair->left);
}

HeapTest(barrier, range_copies_overlapping_slots) {
  void **array = held(&w, tide_alloc(w.m, TIDE_LAYOUT_REFS, 8 * sizeof(void *)));
  for (int i = 0; i < 8; i++)
    tide_write(w.m, array, &array[i], pair_new(&w, NULL, NULL, (uint64_t)i));
  tide_write_range(w.m, array, &array[1], &array[0], 7);
  for (uint64_t i = 1; i < 8; i++)
    cr_assert_eq(((struct pair *)array[i])->number, i - 1);
  tide_write_range(w.m, array, &array[0], &array[1], 7);
  for (uint64_t i = 0; i < 7; i++)
    cr_assert_eq(((struct pair *)array[i])->number, i);
  tide_write_range(w.m, array, array, NULL, 0);
  cr_assert_eq(live_after_collect(&w), 8);
}

/* A reference where the address of a slot is wanted: found out at run time by those who get past
 * the compiler. */
HeapTest(barrier, slots_inside_objects_are_no_roots) {
  struct pair *pair = pair_new(&w, NULL, NULL, 1);
  cr_assert_eq(tide_root_add(w.heap, (void *)pair), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_root_add(w.heap, &pair->left), TIDE_ERROR_ARGUMENT);
  cr_assert_eq((tide_root_add)(w.heap, pair), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_root_add_range(w.heap, pair, 2), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_root_add_range(w.heap, &pair->right, 1), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_root_add_conservative(w.heap, pair, sizeof *pair), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_root_add(w.heap, &pair), TIDE_OK);
  cr_assert_eq(live_after_collect(&w), 1);
  cr_assert_eq(tide_root_remove(w.heap, &pair), TIDE_OK);
  /* Of another heap they may be: it does not look into this one. */
  struct world other = world_new();
  cr_assert_eq(tide_root_add(other.heap, &pair->left), TIDE_OK);
  cr_assert_eq(tide_root_remove(other.heap, &pair->left), TIDE_OK);
  world_end(&other);
}
