/* SPDX-License-Identifier: MIT */
/* Flags of pages: td_deferred_find, and who takes them. */
#include "tests/unit/marker/visits.h"

enum { THREE = 3 };

static struct site s;

/* A heap of `blocks` blocks full of pairs; returns an object in the last one. */
static struct pair *open_with(unsigned markers, unsigned blocks) {
  struct tide_error error;
  site_open(&s);
  struct td_marker_config config = {.markers = markers};
  cr_assert(td_markers_configure(s.set, &config, &error), "%s", error.text);
  struct pair *last = NULL;
  for (unsigned i = 0; i < blocks * PAIRS_PER_BLOCK; i++)
    last = site_pair(&s, NULL, NULL);
  site_begin(&s, 0);
  return last;
}

static size_t page_of(const struct pair *object) {
  struct td_view v = td_view_of(&s.heap);
  return td_view_page(&v, (uintptr_t)object);
}

Test(flags, all_markers_find_any_flag) {
  struct pair *object = open_with(THREE, 64);
  const size_t page = page_of(object);
  for (unsigned i = 0; i < THREE; i++)
    cr_assert_eq(td_deferred_find(s.set->marker[i], 0), 0);
  td_defer(s.set->marker[1], (uintptr_t)object);
  for (unsigned i = 0; i < THREE; i++) {
    cr_assert_eq(td_deferred_find(s.set->marker[i], 0), page);
    cr_assert_eq(td_deferred_find(s.set->marker[i], page), page);
    cr_assert_eq(td_deferred_find(s.set->marker[i], page + 1), page, "cyclically");
    cr_assert_eq(td_deferred_find(s.set->marker[i], SIZE_MAX), page, "from beyond the heap");
  }
  cr_assert(td_flag_take(&s.heap, page));
  cr_assert_not(td_flag_take(&s.heap, page));
  cr_assert_eq(td_deferred_find(s.set->marker[0], 0), 0);
  site_close(&s);
}

/* Wherever the look begins, and wherever the flag is. */
Test(flags, every_page_is_found_from_every_page) {
  struct pair *object = open_with(1, 4);
  const size_t last = page_of(object);
  for (size_t page = TD_BLOCK_PAGES; page <= last; page++) {
    td_deferred_flag(s.set->marker[0], page);
    for (size_t from = 0; from <= last; from++)
      cr_assert_eq(td_deferred_find(s.set->marker[0], from), page, "%zu from %zu", page, from);
    cr_assert(td_flag_take(&s.heap, page));
  }
  site_close(&s);
}

Test(flags, eight_flags_are_taken_at_once) {
  struct pair *object = open_with(THREE, 64);
  size_t page = page_of(object) / 8 * 8;
  td_deferred_flag(s.set->marker[0], page + 2);
  td_deferred_flag(s.set->marker[1], page + 7);
  cr_assert_eq(td_flag_take_eight(&s.heap, page), UINT64_C(0x0100000000010000));
  cr_assert_eq(td_flag_take_eight(&s.heap, page), 0);
  site_close(&s);
}
