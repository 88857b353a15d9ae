/* SPDX-License-Identifier: MIT */
/* Throwing references and visiting regions, step by step. */
#include <signal.h>

#include "tests/unit/marker/visits.h"

static struct site s;

SiteTest(throwing, what_is_no_reference_goes_nowhere) {
  struct pair *object = site_pair(&s, NULL, NULL);
  site_begin(&s, 100);
  const uintptr_t base = s.heap.base;
  const uintptr_t words[] = {0,
                             1,
                             16,
                             UINTPTR_MAX,
                             (uintptr_t)object + 1,
                             (uintptr_t)object + 8,
                             base - 16,
                             base + s.heap.reserved_bytes};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    td_visitor_throw(site_visitor(&s, 0), words[i]);
  cr_assert_eq(site_used(&s), 0);
}

SiteTest(throwing, without_a_chunk_objects_are_deferred) {
  struct pair *object = site_pair(&s, NULL, NULL);
  void *leaf = site_leaf(&s);
  site_begin(&s, 0);
  for (int twice = 0; twice < 2; twice++) {
    site_throw(&s, 0, object);
    site_throw(&s, 0, leaf);
    cr_assert_eq(site_mark(&s, object), TD_DEFERRED);
    cr_assert_eq(site_mark(&s, leaf), 0, "there is nothing to scan in a leaf");
    cr_assert_eq(s.set->marker[0]->stats.objects, 2, "each is counted once");
  }
  struct td_view v = td_view_of(&s.heap);
  cr_assert_eq(td_deferred_find(s.set->marker[0], 0), td_view_page(&v, (uintptr_t)object));
}

SiteTest(visiting, deferred_objects_of_the_region_are_scanned) {
  struct pair *child = site_pair(&s, NULL, NULL), *object = site_pair(&s, child, NULL);
  site_begin(&s, 100);
  struct td_marker *marker = s.set->marker[0];
  td_defer(marker, (uintptr_t)object);
  td_region_set_deferred(&s.set->regions->at[site_region(&s, object)], true);
  td_visitor_run(marker->visitor);
  cr_assert_not(td_regions_wait(s.set->regions));
  cr_assert_eq(site_mark(&s, object), 0);
  cr_assert_eq(site_mark(&s, child), 0);
  cr_assert_eq(td_deferred_find(s.set->marker[0], 0), 0);
  cr_assert_not(td_region_has_deferred(&s.set->regions->at[site_region(&s, object)]));
  cr_assert_eq(marker->stats.objects, 2);
}

/* Another marker has all chunks in use. To enter a region for its deferred objects is of no use
 * then: they would be deferred again. */
SiteTest(visiting, ends_when_others_have_all_chunks, .timeout = 10) {
  struct pair *object = site_pair(&s, NULL, NULL);
  site_begin(&s, 40);
  struct td_regions *regions = s.set->regions;
  struct td_visitor *other = site_visitor(&s, 1);
  while (td_chunks_get(&regions->pool, &other->stock)) {
  }
  cr_assert(td_chunks_are_scarce(other));
  td_defer(s.set->marker[0], (uintptr_t)object);
  td_region_set_deferred(&regions->at[site_region(&s, object)], true);
  td_visitor_run(site_visitor(&s, 0));
  cr_assert_not(td_regions_wait(s.set->regions));
  cr_assert_eq(site_mark(&s, object), TD_DEFERRED, "for whoever takes the page");
  cr_assert_neq(td_deferred_find(s.set->marker[0], 0), 0);
}

SiteTest(visiting, arrays_of_many_slots_are_left_to_all_markers) {
  void **array = heap_large(&s.heap, TIDE_LAYOUT_REFS, 3000 * sizeof *array);
  heap_large(&s.heap, TIDE_LAYOUT_REFS, TD_BLOCK_BYTES); /* a short one, too */
  struct pair *first = site_pair(&s, NULL, NULL);
  array[0] = first;
  site_begin(&s, 100);
  site_throw(&s, 0, array);
  td_visitor_run(site_visitor(&s, 0));
  cr_assert_not(td_regions_wait(s.set->regions));
  cr_assert_eq(site_mark(&s, array), TD_DEFERRED);
  cr_assert_neq(td_deferred_find(s.set->marker[0], 0), 0);
  cr_assert_neq(site_mark(&s, first), 0);
}

/* A list that leads from region to region and back: one reference waits at a time. */
SiteTest(visiting, ends_when_it_has_become_narrow) {
  enum { LINKS = 1 << 14 }; /* each half takes several regions */
  static struct pair *links[LINKS];
  for (size_t i = 0; i < LINKS; i++)
    links[i % (LINKS / 2) * 2 + i / (LINKS / 2)] = site_pair(&s, NULL, NULL);
  for (size_t i = 0; i + 1 < LINKS; i++)
    links[i]->left = links[i + 1];
  site_begin(&s, 100);
  site_throw(&s, 0, links[0]);
  td_visitor_run(site_visitor(&s, 0));
  cr_assert(td_regions_wait(s.set->regions));
  cr_assert_lt(s.set->marker[0]->stats.region_objects, LINKS);
}

SiteTest(unloading, gives_one_chunk_of_a_region_that_nobody_owns) {
  struct pair *objects[TD_CHUNK_REFERENCES + 1];
  uintptr_t got[TD_CHUNK_REFERENCES];
  bool many;
  site_fill(&s, objects, TD_CHUNK_REFERENCES + 1);
  site_begin(&s, 100);
  struct td_visitor *visitor = site_visitor(&s, 1);
  cr_assert_eq(td_visitor_unload(visitor, got, &many), 0);
  for (size_t i = 0; i <= TD_CHUNK_REFERENCES; i++)
    site_throw(&s, 0, objects[i]);
  td_visitor_close(site_visitor(&s, 0));
  struct td_region *region = &s.set->regions->at[site_region(&s, objects[0])];
  cr_assert(td_region_claim(region));
  cr_assert_eq(td_visitor_unload(visitor, got, &many), 0, "somebody owns it");
  cr_assert_not(td_regions_wait(s.set->regions));
  td_region_leave(region);
  cr_assert_eq(td_visitor_unload(visitor, got, &many), 1);
  cr_assert(many);
  cr_assert_eq(got[0], (uintptr_t)objects[TD_CHUNK_REFERENCES]);
  cr_assert_eq(td_visitor_unload(visitor, got, &many), TD_CHUNK_REFERENCES);
  cr_assert_not(many);
  for (size_t i = 0; i < TD_CHUNK_REFERENCES; i++)
    cr_assert_eq(got[i], (uintptr_t)objects[i]);
  cr_assert_eq(td_visitor_unload(visitor, got, &many), 0);
  cr_assert_eq(site_used(&s), 0, "one marker got the chunks, the other one put them back");
  cr_assert_eq(td_region_look(region), 0);
}

/* ---- Regions larger than the MiB that a chunk can speak of ---- */

/* An object every few pages, over three MiB: each part of a region of four gets some. */
enum { SCATTERED = 3 * 256 / 4, PAIRS_APART = 4 * 4096 / PAIR_BYTES };

static void open_scattered(struct pair **objects, unsigned shift) {
  site_open(&s);
  for (int i = 0; i < SCATTERED; i++) {
    objects[i] = site_pair(&s, NULL, NULL);
    for (int other = 1; other < PAIRS_APART; other++)
      site_pair(&s, NULL, NULL);
  }
  site_begin_with(&s, 100, shift);
}

Test(parts, are_told_apart_in_visits) {
  for (unsigned shift = TD_CHUNK_SHIFT - 2; shift <= TD_CHUNK_SHIFT + 3; shift++) {
    struct pair *objects[SCATTERED];
    open_scattered(objects, shift);
    /* Half of them are thrown, and each refers to one that is not. */
    for (int i = 0; i < SCATTERED; i += 2) {
      objects[i]->right = objects[SCATTERED - 1 - i];
      site_throw(&s, 0, objects[i]);
    }
    site_visit_all(&s);
    site_expect_marked(&s, objects, SCATTERED);
    const struct tide_marker_stats *stats = &s.set->marker[0]->stats;
    cr_assert_eq(stats->objects, SCATTERED, "regions of 2^%u granules", shift);
    cr_assert_eq(stats->region_objects, SCATTERED);
    cr_assert_eq(stats->region_references, SCATTERED);
    cr_assert_eq(site_used(&s), 0);
    site_close(&s);
  }
}

Test(parts, are_told_apart_where_chunks_are_taken_out) {
  struct pair *objects[SCATTERED];
  uintptr_t got[TD_CHUNK_REFERENCES];
  bool many;
  open_scattered(objects, TD_CHUNK_SHIFT + 2);
  for (int i = 0; i < SCATTERED; i++)
    site_throw(&s, 0, objects[i]);
  td_visitor_close(site_visitor(&s, 0));
  uintptr_t sum = 0;
  unsigned chunks = 0, references = 0;
  for (uint32_t count; (count = td_visitor_unload(site_visitor(&s, 1), got, &many)) > 0; chunks++)
    for (uint32_t i = 0; i < count; i++, references++)
      sum += got[i];
  for (int i = 0; i < SCATTERED; i++)
    sum -= (uintptr_t)objects[i];
  cr_assert_geq(chunks, 3, "one for each MiB at least");
  cr_assert_eq(references, SCATTERED);
  cr_assert_eq(sum, 0, "other addresses");
  site_close(&s);
}

Test(parts, without_chunks_the_right_references_are_deferred) {
  struct pair *objects[SCATTERED];
  open_scattered(objects, TD_CHUNK_SHIFT + 2);
  s.set->regions->pool.limit = 1;
  for (int i = 0; i < SCATTERED; i++)
    site_throw(&s, 0, objects[i]);
  for (int i = 0; i < SCATTERED; i++)
    cr_assert_eq(site_mark(&s, objects[i]), TD_DEFERRED, "%d", i);
  site_close(&s);
}

#ifdef TD_DEBUG
#define TOLD SIGABRT
#else
#define TOLD 0
#endif

SiteTest(checks, an_object_that_a_visit_forgets, .signal = TOLD) {
  struct pair *object = site_pair(&s, NULL, NULL);
  site_begin(&s, 100);
  struct td_visitor *visitor = site_visitor(&s, 0);
  visitor->fresh[17] = 1; /* and no bit in the summary */
  site_throw(&s, 0, object);
  td_visitor_run(visitor);
  visitor->fresh[17] = 0;
}

SiteTest(checks, a_chunk_that_is_not_put_back, .signal = TOLD) {
  struct pair *object = site_pair(&s, NULL, NULL);
  site_begin(&s, 100);
  struct td_span span = {.start = &object, .count = 1, .kind = TD_SPAN_SLOTS};
  struct td_roots roots = {.spans = &span, .span_count = 1};
  td_mark_phase(s.set, &roots);
  cr_assert_eq(site_mark(&s, object), 0);
  cr_assert_neq(td_chunks_get(&s.set->regions->pool, &site_visitor(&s, 1)->stock), 0);
  td_mark_phase(s.set, &roots);
}
