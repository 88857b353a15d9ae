/* SPDX-License-Identifier: MIT */
/* Who looks at which flags: td_deferred_find and td_deferred_glance, among few markers and many. */
#include "tests/unit/marker/visits.h"

enum { FEW = 2, MANY = 16, PAGES_OF_GLANCE = 512 };

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

/* The first page of those that share a flag with the object's. */
static size_t first_of(const struct pair *object) {
  const unsigned unit = td_deferred_unit(s.set);
  return page_of(object) / unit * unit;
}

static _Atomic(uint8_t) *flag_of(struct td_marker *marker, const struct pair *object) {
  return &td_deferred_row(marker)[td_deferred_at(s.set, page_of(object))];
}

/* How many glances it takes to find a page; 0: `most` did not find any. */
static unsigned glances(struct td_marker *marker, unsigned most) {
  for (unsigned i = 1; i <= most; i++)
    if (td_deferred_glance(marker)) return i;
  return 0;
}

Test(flags, few_markers_find_any_flag_at_once) {
  struct pair *object = open_with(FEW, 64);
  cr_assert_eq(td_deferred_find(s.set->marker[0], 8), 0);
  td_defer(s.set->marker[1], (uintptr_t)object);
  cr_assert_eq(td_deferred_glance(s.set->marker[0]), page_of(object));
  cr_assert_eq(td_deferred_find(s.set->marker[0], 8), page_of(object));
  site_close(&s);
}

Test(flags, among_many_each_finds_its_own_at_once) {
  struct pair *object = open_with(MANY, 64);
  for (unsigned i = 0; i < MANY; i++) {
    struct td_marker *marker = s.set->marker[i];
    td_deferred_flag(marker, page_of(object));
    cr_assert(td_bits_has(&s.set->flaggers, i));
    cr_assert_eq(td_deferred_find(marker, 8), first_of(object), "marker %u", i);
    cr_assert(marker->has_flagged, "it has to look again");
    cr_assert(td_deferred_take(s.set, page_of(object)));
    cr_assert_eq(td_deferred_find(marker, 8), 0);
    cr_assert_not(marker->has_flagged);
    cr_assert_not(td_bits_has(&s.set->flaggers, i));
  }
  site_close(&s);
}

Test(flags, eight_flags_are_taken_at_once) {
  struct pair *object = open_with(FEW, 64);
  size_t page = page_of(object) / 8 * 8;
  td_deferred_flag(s.set->marker[0], page + 2);
  td_deferred_flag(s.set->marker[1], page + 7);
  uint64_t word = td_deferred_take_eight(s.set, page);
  cr_assert_eq(word, UINT64_C(0x0100000000010000));
  cr_assert_eq(td_deferred_take_eight(s.set, page), 0);
  site_close(&s);
}

Test(flags, among_many_eight_pages_share_one) {
  struct pair *object = open_with(MANY, 64);
  size_t page = page_of(object) / TD_CHUNK_PAGES * TD_CHUNK_PAGES;
  td_deferred_flag(s.set->marker[1], page + 2 * TD_DEFERRED_UNIT + 1);
  td_deferred_flag(s.set->marker[9], page + 7 * TD_DEFERRED_UNIT);
  for (size_t flag = 0; flag < 8; flag++) /* of the stretch */
    cr_assert_eq(td_deferred_take_eight(s.set, page + flag * TD_DEFERRED_UNIT),
                 flag == 2 || flag == 7 ? TD_FLAGS_EIGHT : 0);
  td_deferred_flag(s.set->marker[9], page + 3);
  cr_assert_eq(td_deferred_take_eight(s.set, page), TD_FLAGS_EIGHT);
  cr_assert_eq(td_deferred_take_eight(s.set, page), 0);
  site_close(&s);
}

Test(flags, among_many_glances_find_those_of_others_in_the_end) {
  struct pair *object = open_with(MANY, 64);
  td_defer(s.set->marker[3], (uintptr_t)object);
  /* relaxed: nobody else is there. */
  size_t pages =
      (size_t)atomic_load_explicit(&s.set->chunks, memory_order_relaxed) * TD_CHUNK_PAGES;
  cr_assert_gt(pages, 2 * PAGES_OF_GLANCE);
  unsigned most = (unsigned)(pages / PAGES_OF_GLANCE) + 1, slowest = 0;
  for (unsigned i = 0; i < MANY; i++) {
    unsigned needed = glances(s.set->marker[i], most);
    cr_assert_neq(needed, 0, "marker %u", i);
    if (needed > slowest) slowest = needed;
  }
  cr_assert_gt(slowest, 1, "one glance is not a look at all pages");
  site_close(&s);
}

Test(flags, nobody_looks_at_rows_without_flags) {
  struct pair *object = open_with(MANY, 64);
  struct td_marker *marker = s.set->marker[3];
  td_defer(marker, (uintptr_t)object);
  cr_assert(td_deferred_take(s.set, page_of(object)));
  cr_assert_eq(td_deferred_find(marker, 8), 0);
  /* A flag that nobody answers for: no marker sets one like this. */
  td_flag_set_shared(flag_of(marker, object));
  for (unsigned i = 0; i < MANY; i++)
    cr_assert_eq(glances(s.set->marker[i], 100), 0);
  site_close(&s);
}
