/* SPDX-License-Identifier: MIT */
/* Layouts: which words of an object are followed, and which descriptions are refused. */
#include "tests/unit/gc/common.h"
#include "tide/dropin.h"

/* An object of `words` words, each referring to an object of its own; how many of those live. */
static uint64_t followed(struct world *w, tide_layout layout, size_t words) {
  size_t scope = tide_scope_open(w->m);
  void **object = tide_handle(w->m, tide_alloc(w->m, layout, words * 8));
  cr_assert_not_null(*object);
  for (size_t i = 0; i < words; i++) {
    void *leaf = tide_alloc(w->m, TIDE_LAYOUT_LEAF, 16);
    ((void **)*object)[i] = leaf;
  }
  uint64_t live = live_after_collect(w) - 1;
  tide_scope_close(w->m, scope);
  return live;
}

HeapTest(layouts, offsets_bitmaps_and_prefixes) {
  size_t some[] = {8, 24, 504};
  cr_assert_eq(followed(&w, tide_layout_offsets(w.heap, 512, some, 3, NULL), 64), 3);
  cr_assert_eq(followed(&w, tide_layout_offsets(w.heap, 512, some, 3, NULL), 10000), 3);
  size_t far[] = {0, 512, 4096, 32760};
  cr_assert_eq(followed(&w, tide_layout_offsets(w.heap, 32768, far, 4, NULL), 4096), 4);
  uint64_t bits[64];
  memset(bits, 0xff, sizeof bits);
  cr_assert_eq(followed(&w, tide_layout_bitmap(w.heap, bits, 4096, NULL), 4096), 4096);
  cr_assert_eq(followed(&w, tide_layout_bitmap(w.heap, bits, 65, NULL), 66), 65);
  cr_assert_eq(followed(&w, tide_layout_bitmap(w.heap, bits, 3, NULL), 66), 3);
  cr_assert_eq(followed(&w, tide_layout_prefixed(w.heap, 3, NULL), 100), 97);
  cr_assert_eq(followed(&w, tide_layout_prefixed(w.heap, 3, NULL), 9000), 8997);
  cr_assert_eq(followed(&w, tide_layout_prefixed(w.heap, 200, NULL), 100), 0);
}

TRACE(trace_even) {
  cr_assert_eq(*(int *)context, 42);
  void **words = object;
  for (size_t i = 0; i < bytes / 8; i += 2)
    tide_trace(tracer, words[i]);
}

TRACE(trace_most) {
  tide_trace_range(tracer, (void **)object + 1, bytes / 8 - 2);
  tide_trace_conservative(tracer, ((uintptr_t *)object)[bytes / 8 - 1] + 5);
}

HeapTest(layouts, traced) {
  int context = 42;
  tide_layout even = tide_layout_traced(w.heap, trace_even, &context, NULL);
  tide_layout most = tide_layout_traced(w.heap, trace_most, NULL, NULL);
  cr_assert_eq(followed(&w, even, 100), 50);
  cr_assert_eq(followed(&w, even, 9000), 4500);
  cr_assert_eq(followed(&w, most, 64), 63);
  cr_assert_eq(tide_layout_traced(w.heap, trace_even, &context, NULL), even);
  cr_assert_neq(tide_layout_traced(w.heap, trace_even, NULL, NULL), even);
  cr_assert_neq(tide_layout_traced(w.heap, trace_even, NULL, NULL), most);
}

HeapTest(layouts, equal_descriptions_share_a_number) {
  size_t offsets[] = {16, 0}, swapped[] = {0, 16};
  uint64_t bits = 5, more = 5 | (uint64_t)1 << 40;
  tide_layout a = tide_layout_offsets(w.heap, 24, offsets, 2, NULL);
  cr_assert_eq(tide_layout_offsets(w.heap, 80, swapped, 2, NULL), a);
  cr_assert_eq(tide_layout_bitmap(w.heap, &bits, 10, NULL), a);
  cr_assert_eq(tide_layout_bitmap(w.heap, &more, 10, NULL), a, "bits behind the end don't count");
  cr_assert_neq(tide_layout_bitmap(w.heap, &more, 64, NULL), a);
  uint64_t far[][2] = {{5, 1}, {4, 1}, {5, 3}};
  a = tide_layout_bitmap(w.heap, far[0], 66, NULL);
  cr_assert_neq(tide_layout_bitmap(w.heap, far[1], 66, NULL), a);
  cr_assert_neq(tide_layout_bitmap(w.heap, far[2], 66, NULL), a);
  far[1][0] = 5;
  cr_assert_eq(tide_layout_bitmap(w.heap, far[1], 66, NULL), a, "compared by content");
  cr_assert_eq(tide_layout_offsets(w.heap, 24, NULL, 0, NULL), TIDE_LAYOUT_LEAF);
  cr_assert_eq(tide_layout_prefixed(w.heap, 0, NULL), TIDE_LAYOUT_REFS);
}

static void refused(tide_layout layout, const struct tide_error *error, enum tide_status status) {
  cr_assert_eq(layout, TIDE_LAYOUT_INVALID);
  cr_assert_eq(error->status, status, "%s", error->text);
  cr_assert_neq(error->text[0], 0);
}

HeapTest(layouts, wrong_descriptions_are_refused) {
  struct tide_error e;
  size_t odd[] = {4}, twice[] = {8, 8}, outside[] = {24}, last[] = {SIZE_MAX & ~(size_t)7};
  size_t far[] = {(size_t)TIDE_LAYOUT_WORDS_MAX * 8};
  uint64_t bits = 1;
  refused(tide_layout_offsets(w.heap, 24, odd, 1, &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_offsets(w.heap, 24, twice, 2, &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_offsets(w.heap, 24, outside, 1, &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_offsets(w.heap, 31, outside, 1, &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_offsets(w.heap, 24, last, 1, &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_offsets(w.heap, SIZE_MAX, far, 1, &e), &e, TIDE_ERROR_LIMIT);
  refused(tide_layout_offsets(w.heap, 0, odd, 0, &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_offsets(w.heap, 24, NULL, 1, &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_offsets(NULL, 24, odd, 1, &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_bitmap(w.heap, &bits, 0, &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_bitmap(w.heap, NULL, 1, &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_bitmap(w.heap, &bits, TIDE_LAYOUT_WORDS_MAX + 1, &e), &e, TIDE_ERROR_LIMIT);
  refused(tide_layout_traced(w.heap, NULL, NULL, &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_prefixed(NULL, 1, &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_bitmap_conservative(NULL, &bits, 1, &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_bitmap_conservative(w.heap, NULL, 1, &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_bitmap_conservative(w.heap, &bits, 0, &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_bitmap_conservative(w.heap, &bits, TIDE_LAYOUT_WORDS_MAX + 1, &e), &e,
          TIDE_ERROR_LIMIT);
  refused(tide_layout_held_by_first_page(NULL, TIDE_LAYOUT_LEAF, &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_held_by_first_page(w.heap, 999, &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_unzeroed(NULL, TIDE_LAYOUT_LEAF, &e), &e, TIDE_ERROR_ARGUMENT);
  const tide_layout zeroed[] = {TIDE_LAYOUT_INVALID, TIDE_LAYOUT_REFS, TIDE_LAYOUT_CONSERVATIVE,
                                w.pair, 999};
  for (size_t i = 0; i < sizeof zeroed / sizeof *zeroed; i++)
    refused(tide_layout_unzeroed(w.heap, zeroed[i], &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_traced_serially(w.heap, NULL, NULL, &e), &e, TIDE_ERROR_ARGUMENT);
}

RECLAIM(tell) {}

HeapTest(layouts, what_dies_untold_or_unzeroed_is_not_told_of) {
  struct tide_error e;
  tide_layout unzeroed = tide_layout_unzeroed(w.heap, TIDE_LAYOUT_LEAF, NULL);
  tide_layout told = tide_layout_on_reclaim(w.heap, TIDE_LAYOUT_LEAF, tell, NULL, &e);
  cr_assert_neq(told, TIDE_LAYOUT_INVALID, "%s", e.text);
  refused(tide_layout_on_reclaim(NULL, w.pair, tell, NULL, &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_on_reclaim(w.heap, w.pair, NULL, NULL, &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_on_reclaim(w.heap, 4000, tell, NULL, &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_on_reclaim(w.heap, unzeroed, tell, NULL, &e), &e, TIDE_ERROR_ARGUMENT);
  refused(tide_layout_unzeroed(w.heap, told, &e), &e, TIDE_ERROR_ARGUMENT);
}

HeapTest(layouts, the_table_has_an_end) {
  struct tide_error e;
  uint64_t bits = 1;
  tide_layout layout;
  tide_layout first = tide_layout_bitmap(w.heap, &bits, 64, &e);
  size_t made = 0;
  for (; (layout = tide_layout_bitmap(w.heap, &bits, 64, &e)); bits += 2, made++)
    cr_assert_lt(layout, TIDE_LAYOUT_MAX);
  refused(layout, &e, TIDE_ERROR_LIMIT);
  cr_assert_gt(made, TIDE_LAYOUT_MAX - 64);
  bits = 1;
  cr_assert_eq(tide_layout_bitmap(w.heap, &bits, 64, &e), first, "what it has it knows");
  cr_assert_eq(followed(&w, TIDE_LAYOUT_REFS, 10), 10);
}

/* ---- Conservative bitmaps: of the words that they name, interior pointers count, too ---- */

enum { WORDS = 3 };

static tide_layout middle_word(struct tide_heap *heap) {
  uint64_t bits = 2;
  return tide_layout_bitmap_conservative(heap, &bits, WORDS, NULL);
}

HeapTest(bitmaps, repeat_over_arrays) {
  enum { COUNT = 1000 };
  uintptr_t *array = held(&w, tide_alloc_array(w.m, middle_word(w.heap), COUNT, WORDS * 8));
  for (int i = 0; i < COUNT * WORDS; i++)
    array[i] = (uintptr_t)pair_new(&w, NULL, NULL, (uint64_t)i) + 9; /* inside */
  cr_assert_eq(live_after_collect(&w), 1 + COUNT);
  for (int i = 0; i < COUNT; i++)
    cr_assert_eq(((struct pair *)(array[i * WORDS + 1] - 9))->number, (uint64_t)(i * WORDS + 1));
}

HeapTest(bitmaps, end_with_shorter_objects) {
  uint64_t bits[TIDE_LAYOUT_WORDS_MAX / 64] = {2};
  tide_layout layout = tide_layout_bitmap_conservative(w.heap, bits, TIDE_LAYOUT_WORDS_MAX, NULL);
  for (size_t words = 2; words <= 4096; words *= 4) {
    uintptr_t *object = held(&w, tide_alloc(w.m, layout, words * 8));
    for (size_t i = 0; i < words; i++)
      object[i] = (uintptr_t)pair_new(&w, NULL, NULL, i);
  }
  cr_assert_eq(live_after_collect(&w), 2 * 6);
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
  uintptr_t *object = held(&w, tide_alloc(w.m, named, 70 * 8));
  object[64] = (uintptr_t)pair_new(&w, NULL, NULL, 1);
  object[65] = (uintptr_t)pair_new(&w, NULL, NULL, 2);
  cr_assert_eq(live_after_collect(&w), 2);
}
