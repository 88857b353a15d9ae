/* Conservative bitmaps: the words that they name are looked at, interior pointers included, in
 * every element of an array; the others are not. */
#include "tests/unit/gc/common.h"

enum { WORDS = 3 };

static tide_layout middle_word(struct tide_heap *heap) {
  uint64_t bits = 2;
  struct tide_error error;
  tide_layout layout = tide_layout_bitmap_conservative(heap, &bits, WORDS, &error);
  cr_assert_neq(layout, TIDE_LAYOUT_INVALID, "%s", error.text);
  return layout;
}

HeapTest(bitmaps, name_words_that_may_be_pointers) {
  uintptr_t *object = tide_alloc(w.m, middle_word(w.heap), WORDS * 8);
  cr_assert_not_null(tide_handle(w.m, object));
  for (int i = 0; i < WORDS; i++)
    object[i] = (uintptr_t)pair_new(&w, NULL, NULL, 7) + 9; /* inside */
  uintptr_t kept = object[1] - 9;
  cr_assert_eq(live_after_collect(&w), 2);
  cr_assert_eq(((struct pair *)kept)->number, 7);
  object[1] = 12345;
  cr_assert_eq(live_after_collect(&w), 1);
}

HeapTest(bitmaps, repeat_over_arrays) {
  enum { COUNT = 1000 };
  uintptr_t *array = tide_alloc_array(w.m, middle_word(w.heap), COUNT, WORDS * 8);
  cr_assert_not_null(tide_handle(w.m, array));
  for (int i = 0; i < COUNT * WORDS; i++)
    array[i] = (uintptr_t)pair_new(&w, NULL, NULL, (uint64_t)i);
  cr_assert_eq(live_after_collect(&w), 1 + COUNT);
  for (int i = 0; i < COUNT; i++)
    cr_assert_eq(((struct pair *)array[i * WORDS + 1])->number, (uint64_t)(i * WORDS + 1));
}

HeapTest(bitmaps, that_are_equal_are_one_layout) {
  uint64_t bits[2] = {2, 5}, others[2] = {2, 4}, none[2] = {0};
  tide_layout long_one = tide_layout_bitmap_conservative(w.heap, bits, 70, NULL);
  cr_assert_eq(middle_word(w.heap), middle_word(w.heap));
  cr_assert_eq(long_one, tide_layout_bitmap_conservative(w.heap, bits, 70, NULL));
  cr_assert_neq(long_one, tide_layout_bitmap_conservative(w.heap, bits, 71, NULL));
  cr_assert_neq(long_one, tide_layout_bitmap_conservative(w.heap, others, 70, NULL));
  cr_assert_eq(tide_layout_bitmap_conservative(w.heap, none, 70, NULL), TIDE_LAYOUT_LEAF);
  tide_layout named = tide_layout_named(w.heap, long_one, "typed", NULL);
  cr_assert_neq(named, TIDE_LAYOUT_INVALID);
  uintptr_t *object = tide_alloc(w.m, named, 70 * 8);
  cr_assert_not_null(tide_handle(w.m, object));
  object[64] = (uintptr_t)pair_new(&w, NULL, NULL, 1);
  object[65] = (uintptr_t)pair_new(&w, NULL, NULL, 2);
  cr_assert_eq(live_after_collect(&w), 2);
}
