/* SPDX-License-Identifier: MIT */
/* Arrays of objects, and layouts with names. */
#include "tests/unit/gc/common.h"

/* Each element of an array has its references where its layout says. */
static void expect_elements_alive(size_t count) {
  SCOPED_WORLD w = world_new();
  struct pair *array = held(&w, tide_alloc_array(w.m, w.pair, count, sizeof *array));
  for (size_t i = 0; i < count; i++) {
    array[i].number = UINT64_MAX; /* no reference */
    tide_write(w.m, array, &array[i].right, pair_new(&w, NULL, NULL, i));
    if (i % 3 == 0) tide_write(w.m, array, &array[i].left, pair_new(&w, NULL, NULL, i));
  }
  cr_assert_eq(live_after_collect(&w), 1 + count + (count + 2) / 3, "%zu elements", count);
  for (size_t i = 0; i < count; i++) {
    cr_assert_eq(array[i].right->number, i);
    cr_assert(i % 3 ? !array[i].left : array[i].left->number == i);
  }
}

Test(arrays, every_element_is_traced) {
  size_t counts[] = {1, 2, 3, 21, 22, 23, 85, 171, 1000, 5000, 20000};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    expect_elements_alive(counts[i]);
}

HeapTest(arrays, share_a_layout_by_element) {
  void *a = tide_alloc_array(w.m, w.pair, 10, sizeof(struct pair));
  void *b = tide_alloc_array(w.m, w.pair, 30, sizeof(struct pair));
  void *c = tide_alloc_array(w.m, w.pair, 10, 2 * sizeof(struct pair));
  cr_assert_eq(tide_object_layout(w.heap, a), tide_object_layout(w.heap, b));
  cr_assert_neq(tide_object_layout(w.heap, a), w.pair);
  cr_assert_neq(tide_object_layout(w.heap, a), tide_object_layout(w.heap, c));
  void *d = tide_alloc_array(w.m, w.pair, 5, sizeof(struct pair));
  cr_assert_eq(tide_object_layout(w.heap, a), tide_object_layout(w.heap, d));
  tide_layout named = tide_layout_named(w.heap, w.pair, "pairs", NULL);
  void *e = tide_alloc_array(w.m, named, 10, sizeof(struct pair));
  cr_assert_str_eq(tide_layout_name(w.heap, tide_object_layout(w.heap, e)), "pairs");
}

HeapTest(arrays, whole_object_layouts_stay_what_they_are) {
  tide_layout vector = tide_layout_prefixed(w.heap, 1, NULL);
  void **v = (void **)tide_alloc_array(w.m, vector, 5, sizeof(void *));
  cr_assert_eq(tide_object_layout(w.heap, v), vector);
  void *leaf = tide_alloc_array(w.m, TIDE_LAYOUT_LEAF, 7, 3);
  cr_assert_eq(tide_object_layout(w.heap, leaf), TIDE_LAYOUT_LEAF);
}

static void array_refused(struct world *w, tide_layout layout, size_t count, size_t bytes_each,
                          enum tide_status status) {
  expect_refused(w, tide_alloc_array(w->m, layout, count, bytes_each), status);
}

HeapTest(arrays, refusals) {
  array_refused(&w, w.pair, 2, 8, TIDE_ERROR_ARGUMENT);  /* right lies outside */
  array_refused(&w, w.pair, 2, 20, TIDE_ERROR_ARGUMENT); /* no multiple of a word */
  array_refused(&w, w.pair, 2, 0, TIDE_ERROR_ARGUMENT);
  array_refused(&w, w.pair, SIZE_MAX, 24, TIDE_ERROR_ARGUMENT);
  array_refused(&w, w.pair, SIZE_MAX / 24 / 4, 24, TIDE_ERROR_MEMORY);
  array_refused(&w, TIDE_LAYOUT_MAX, 2, 24, TIDE_ERROR_ARGUMENT);
  array_refused(&w, (tide_layout)4000, 2, 24, TIDE_ERROR_ARGUMENT);
  size_t far = 70 * 8;
  tide_layout wide = tide_layout_offsets(w.heap, 80 * 8, &far, 1, NULL);
  array_refused(&w, wide, 2, 80 * 8, TIDE_ERROR_LIMIT);
  array_refused(&w, TIDE_LAYOUT_LEAF, SIZE_MAX / 4, 8, TIDE_ERROR_ARGUMENT);
  cr_assert_not_null(tide_alloc_array(w.m, wide, 1, 80 * 8));
  cr_assert_not_null(tide_alloc_array(w.m, TIDE_LAYOUT_LEAF, 0, 8));
  cr_assert_not_null(tide_alloc_array(w.m, wide, 0, 80 * 8));
  cr_assert_not_null(tide_alloc_array(w.m, TIDE_LAYOUT_LEAF, 10000000, 1));
}

/* All sizes that no heap has: an answer, at once, of each kind of allocation. */
HeapTest(arrays, huge_sizes_are_refused) {
  for (unsigned bit = 27; bit < 64; bit++)
    for (int add = -1; add <= 1; add++) {
      size_t bytes = ((size_t)1 << bit) + (size_t)add;
      enum tide_status status =
          bytes > PTRDIFF_MAX - 65536 ? TIDE_ERROR_ARGUMENT : TIDE_ERROR_MEMORY;
      expect_refused(&w, tide_alloc(w.m, TIDE_LAYOUT_LEAF, bytes), status);
      expect_refused(&w, tide_alloc_aligned(w.m, TIDE_LAYOUT_LEAF, bytes, 4096), status);
      cr_assert_null(tide_alloc_array(w.m, TIDE_LAYOUT_REFS, bytes / 8 + 1, 8));
    }
  expect_refused(&w, tide_alloc(w.m, TIDE_LAYOUT_LEAF, SIZE_MAX), TIDE_ERROR_ARGUMENT);
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

HeapTest(layout_names, a_name_makes_a_layout_of_its_own) {
  tide_layout node = tide_layout_named(w.heap, w.pair, "node", NULL);
  cr_assert_neq(node, w.pair);
  cr_assert_str_eq(tide_layout_name(w.heap, node), "node");
  cr_assert_null(tide_layout_name(w.heap, w.pair));
  cr_assert_eq(tide_layout_named(w.heap, w.pair, "node", NULL), node);
  cr_assert_neq(tide_layout_named(w.heap, w.pair, "edge", NULL), node);
  cr_assert_neq(tide_layout_named(w.heap, TIDE_LAYOUT_LEAF, "node", NULL), node);
  struct pair *p = held(&w, tide_alloc(w.m, node, sizeof *p));
  tide_write(w.m, p, &p->left, pair_new(&w, NULL, NULL, 1));
  cr_assert_eq(tide_object_layout(w.heap, p), node);
  cr_assert_eq(live_after_collect(&w), 2);
  void *array = tide_alloc_array(w.m, node, 4, sizeof *p);
  cr_assert_str_eq(tide_layout_name(w.heap, tide_object_layout(w.heap, array)), "node");
}

HeapTest(layout_names, refusals) {
  char longest[TIDE_LAYOUT_NAME_MAX + 2];
  memset(longest, 'x', sizeof longest - 1);
  longest[sizeof longest - 1] = 0;
  const char *wrong[] = {NULL,
                         "",
                         longest,
                         "a\nb",
                         "tab\t",
                         "\x7f",
                         "\xff",
                         "\xc0\x80",
                         "\xc3",
                         "\xed\xa0\x80",
                         "\xf5\x80\x80\x80",
                         "\xc2\x85"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct tide_error error;
    cr_assert_eq(tide_layout_named(w.heap, w.pair, wrong[i], &error), TIDE_LAYOUT_INVALID, "%zu",
                 i);
    cr_assert_eq(error.status, TIDE_ERROR_ARGUMENT);
  }
  longest[TIDE_LAYOUT_NAME_MAX] = 0;
  cr_assert_neq(tide_layout_named(w.heap, w.pair, longest, NULL), TIDE_LAYOUT_INVALID);
  cr_assert_neq(tide_layout_named(w.heap, w.pair, "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x8c\x8a", NULL),
                TIDE_LAYOUT_INVALID);
  cr_assert_eq(tide_layout_named(NULL, w.pair, "a", NULL), TIDE_LAYOUT_INVALID);
  tide_layout none[] = {TIDE_LAYOUT_INVALID, 4, 5, 3000, TIDE_LAYOUT_MAX, UINT16_MAX};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    cr_assert_eq(tide_layout_named(w.heap, none[i], "a", NULL), TIDE_LAYOUT_INVALID);
    cr_assert_null(tide_layout_name(w.heap, none[i]));
  }
  cr_assert_null(tide_layout_name(NULL, 1));
}
