/* SPDX-License-Identifier: MIT */
/* Which conservative words keep objects alive. */
#include "tests/unit/gc/common.h"

/* Tags, which make no difference in any granule, and members, which do: each word points another
 * number of bytes behind the start of an object of its own. */
HeapTest(interior, counts_at_registered_displacements_only) {
  enum { WORDS = 96 };
  static const size_t registered[] = {0, 1, 7, 32, 33, 39, 45};
  uintptr_t *words = held(&w, tide_alloc(w.m, TIDE_LAYOUT_CONSERVATIVE, WORDS * 8));
  cr_assert_eq(tide_heap_set_interior(w.heap, TIDE_INTERIOR_BASE), TIDE_OK);
  for (size_t count = 1; count <= sizeof registered / sizeof *registered; count++) {
    if (count > 1) cr_assert_eq(tide_heap_add_displacement(w.heap, registered[count - 1]), TIDE_OK);
    for (size_t behind = 0; behind < WORDS; behind++)
      words[behind] = (uintptr_t)tide_alloc(w.m, TIDE_LAYOUT_LEAF, 100) + behind;
    cr_assert_eq(live_after_collect(&w), 1 + count);
    for (size_t i = 0; i < count; i++) {
      void *object = (void *)(words[registered[i]] - registered[i]);
      cr_assert_eq(tide_object_find(w.heap, object), object, "%zu behind", registered[i]);
    }
  }
}

HeapTest(interior, counts_for_conservative_roots_too) {
  static uintptr_t root[1];
  cr_assert_eq(tide_root_add_conservative(w.heap, root, sizeof root), TIDE_OK);
  root[0] = (uintptr_t)tide_alloc(w.m, TIDE_LAYOUT_LEAF, 100) + 8;
  cr_assert_eq(live_after_collect(&w), 1);
  cr_assert_eq(tide_heap_set_interior(w.heap, TIDE_INTERIOR_BASE), TIDE_OK);
  cr_assert_eq(live_after_collect(&w), 0);
}

HeapTest(interior, ends_near_the_start_where_the_layout_says) {
  uintptr_t *words = held(&w, tide_alloc(w.m, TIDE_LAYOUT_CONSERVATIVE, 64));
  tide_layout near = tide_layout_held_by_first_page(w.heap, TIDE_LAYOUT_LEAF, NULL);
  cr_assert_neq(near, TIDE_LAYOUT_LEAF);
  cr_assert_eq(near, tide_layout_held_by_first_page(w.heap, TIDE_LAYOUT_LEAF, NULL));
  size_t sizes[] = {10000, 50000, 200000, 2000000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    words[0] = (uintptr_t)tide_alloc(w.m, near, sizes[i]) + 4095;
    cr_assert_eq(live_after_collect(&w), 2);
    words[0]++;
    cr_assert_eq(live_after_collect(&w), 1, "%zu bytes", sizes[i]);
    words[0] = (uintptr_t)tide_alloc(w.m, TIDE_LAYOUT_LEAF, sizes[i]) + 5000;
    cr_assert_eq(live_after_collect(&w), 2);
  }
}

HeapTest(interior, refuses_what_makes_no_sense) {
  cr_assert_eq(tide_heap_set_interior(NULL, TIDE_INTERIOR_ALL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_heap_set_interior(w.heap, (enum tide_interior)9), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_heap_add_displacement(w.heap, TIDE_DISPLACEMENT_MAX), TIDE_ERROR_ARGUMENT);
}
