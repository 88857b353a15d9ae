/* SPDX-License-Identifier: MIT */
/* Layouts whose objects are not zeroed, beside those whose objects are. */
#include "tests/unit/gc/common.h"
#include "tide/dropin.h"

#define PATTERN 0xa5

/* Fills memory of the layout with a pattern and drops it, then counts how many of the objects that
 * take its place show zeroes and nothing else. */
static size_t zeroed_again(struct world *w, tide_layout layout, size_t bytes, size_t count) {
  size_t zeroed = 0;
  for (size_t i = 0; i < count; i++) {
    void *object = tide_alloc(w->m, layout, bytes);
    cr_assert_not_null(object);
    memset(object, PATTERN, bytes);
  }
  cr_assert_eq(tide_collect(w->m), TIDE_OK);
  for (size_t i = 0; i < count; i++)
    zeroed += is_zero(tide_alloc(w->m, layout, bytes), bytes);
  return zeroed;
}

HeapTest(unzeroed, saves_the_zeroing_and_nobody_else_is_concerned) {
  tide_layout bytes = tide_layout_unzeroed(w.heap, TIDE_LAYOUT_LEAF, NULL);
  cr_assert_neq(bytes, TIDE_LAYOUT_LEAF);
  /* in cells, in spans, with blocks of their own */
  const size_t sizes[] = {16, 48, 1000, 20000, 40000, 300000, 2000000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    size_t count = 4000000 / sizes[i];
    cr_assert_eq(zeroed_again(&w, TIDE_LAYOUT_LEAF, sizes[i], count), count, "%zu", sizes[i]);
    size_t zeroed = zeroed_again(&w, bytes, sizes[i], count);
    cr_assert_lt(zeroed, count, "%zu bytes: all were zeroed", sizes[i]);
    /* A block that held these may be another layout's next. */
    cr_assert_eq(tide_collect(w.m), TIDE_OK);
    cr_assert_eq(zeroed_again(&w, TIDE_LAYOUT_REFS, sizes[i], 1), 1);
  }
}

HeapTest(unzeroed, equal_layouts_share_a_number_and_may_have_names) {
  tide_layout bytes = tide_layout_unzeroed(w.heap, TIDE_LAYOUT_LEAF, NULL);
  cr_assert_eq(bytes, tide_layout_unzeroed(w.heap, TIDE_LAYOUT_LEAF, NULL));
  cr_assert_eq(bytes, tide_layout_unzeroed(w.heap, bytes, NULL));
  tide_layout named = tide_layout_named(w.heap, bytes, "text", NULL);
  cr_assert_neq(named, bytes);
  cr_assert_str_eq(tide_layout_name(w.heap, named), "text");
  cr_assert_lt(zeroed_again(&w, named, 1000, 4000), 4000);
}

/* What a freed cell holds must not pass for a freed cell in its successor, which nobody has written
 * to. */
HeapTest(unzeroed, objects_in_the_place_of_freed_ones_are_objects) {
  enum { COUNT = 3000, BYTES = 48 };
  tide_layout bytes = tide_layout_unzeroed(w.heap, TIDE_LAYOUT_LEAF, NULL);
  static void *objects[COUNT];
  for (int round = 0; round < 6; round++) {
    for (size_t i = 0; i < COUNT; i++) {
      objects[i] = tide_alloc(w.m, bytes, BYTES);
      cr_assert_not_null(objects[i]);
    }
    for (size_t i = 0; i < COUNT; i++) {
      struct tide_object_facts facts;
      cr_assert(tide_object_look(w.m, objects[i], &facts), "round %d, object %zu", round, i);
      cr_assert_eq(facts.bytes, BYTES);
      cr_assert_eq(tide_free(w.m, objects[i]), TIDE_OK);
    }
    if (round % 2) cr_assert_eq(tide_collect(w.m), TIDE_OK); /* else they are taken again at once */
  }
}
