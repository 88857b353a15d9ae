/* Growing a large object leaves what lies before it alone. */
#include "tests/unit/gc/common.h"

HeapTest(resize, what_lies_before_a_growing_object_stays) {
  enum { OTHERS = 40 };
  void **others[OTHERS];
  for (size_t i = 0; i < OTHERS; i++)
    others[i] = tide_handle(w.m, tide_alloc(w.m, TIDE_LAYOUT_REFS, (size_t)600 << 10));
  void **large = tide_handle(w.m, tide_alloc(w.m, TIDE_LAYOUT_LEAF, (size_t)700 << 10));
  cr_assert(tide_resize_in_place(w.m, *large, (size_t)1500 << 10));
  for (size_t i = 0; i < OTHERS; i++)
    cr_assert_eq(tide_object_find(w.heap, *others[i]), *others[i], "object %zu", i);
  cr_assert_eq(live_after_collect(&w), OTHERS + 1);
}
