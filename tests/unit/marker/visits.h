/* SPDX-License-Identifier: MIT */
/* Markers without threads around a heap without a collector: a test calls what a marker would. */
#ifndef TD_TESTS_UNIT_MARKER_VISITS_H
#define TD_TESTS_UNIT_MARKER_VISITS_H

#include "marker/base/deferred.h"
#include "marker/base/state.h"
#include "marker/marker.h"
#include "marker/region/throw.h"
#include "tests/unit/heap/common.h"

enum { MARKERS = 2, PAIR_BYTES = 16, PAIRS_PER_BLOCK = TD_BLOCK_BYTES / PAIR_BYTES };

struct pair {
  void *left, *right;
};

struct site {
  struct td_space heap;
  struct td_markers *set;
  struct tide_bump pairs, leaves;
};

static inline void site_open(struct site *s) {
  struct tide_error error;
  heap_open(&s->heap, 64 * MIB);
  struct td_marker_config config = {.markers = MARKERS};
  s->set = td_markers_create(&s->heap, &config, &error);
  cr_assert_not_null(s->set, "%s", error.text);
}

static inline void site_close(struct site *s) {
  td_markers_destroy(s->set);
  td_space_deinit(&s->heap);
}

/* A test on `s`, a site that is made for it. */
#define SiteTest(...) AT_SITE(__VA_ARGS__, .init = NULL)
#define AT_SITE(suite, name, ...)                                                                  \
  static void suite##_##name(void);                                                                \
  Test(suite, name, __VA_ARGS__) {                                                                 \
    site_open(&s);                                                                                 \
    suite##_##name();                                                                              \
    site_close(&s);                                                                                \
  }                                                                                                \
  static void suite##_##name(void)

static inline struct pair *site_pair(struct site *s, void *left, void *right) {
  struct pair *pair = heap_alloc(&s->heap, &s->pairs, TIDE_LAYOUT_REFS, td_class_of(PAIR_BYTES));
  cr_assert_not_null(pair);
  *pair = (struct pair){left, right};
  return pair;
}

static inline void *site_leaf(struct site *s) {
  return heap_alloc(&s->heap, &s->leaves, TIDE_LAYOUT_LEAF, td_class_of(PAIR_BYTES));
}

static inline void site_fill(struct site *s, struct pair **objects, size_t count) {
  for (size_t i = 0; i < count; i++)
    objects[i] = site_pair(s, NULL, NULL);
}

/* A collection begins: regions have 2^shift granules, and `chunks` chunks may be used, besides the
 * one that never is. */
static inline void site_begin_with(struct site *s, size_t chunks, unsigned shift) {
  struct td_region_limits *limits = &s->set->regions->limits;
  limits->shift_least = shift;
  limits->cached = 0;
  limits->pool_least = (chunks + 1) * sizeof(struct td_chunk);
  limits->pool_part = UINT32_MAX;
  td_space_retire(&s->heap, &s->pairs);
  td_space_retire(&s->heap, &s->leaves);
  td_space_begin_marking(&s->heap);
  td_mark_begin(s->set);
}

/* The same; regions are single blocks. */
static inline void site_begin(struct site *s, size_t chunks) {
  site_begin_with(s, chunks, TD_BLOCK_GRANULES_LOG2);
}

static inline struct td_visitor *site_visitor(struct site *s, unsigned marker) {
  return s->set->marker[marker]->visitor;
}

static inline void site_throw(struct site *s, unsigned marker, const void *object) {
  td_visitor_throw(site_visitor(s, marker), (uintptr_t)object);
}

/* The mark byte less the epoch: 0, or TD_DEFERRED; anything else is not marked. */
static inline uint8_t site_mark(const struct site *s, const void *object) {
  return (uint8_t)(td_mark_load(&s->heap.marks[heap_granule(&s->heap, object)]) - s->heap.epoch);
}

static inline uint32_t site_region(const struct site *s, const void *object) {
  return (uint32_t)(heap_granule(&s->heap, object) >> s->set->regions->shift);
}

static inline uint32_t site_waiting(const struct site *s, const void *object) {
  return td_region_waiting(td_region_look(&s->set->regions->at[site_region(s, object)]));
}

/* Marker 0 visits until nothing waits. */
static inline void site_visit_all(struct site *s) {
  do
    td_visitor_run(site_visitor(s, 0));
  while (td_regions_wait(s->set->regions));
}

static inline void site_expect_marked(const struct site *s, struct pair *const *objects,
                                      int count) {
  for (int i = 0; i < count; i++)
    cr_assert_eq(site_mark(s, objects[i]), 0, "%d", i);
}

/* Chunks that are in use. */
static inline uint32_t site_used(const struct site *s) {
  uint32_t used = 0;
  for (unsigned i = 0; i < MARKERS; i++)
    used += atomic_load(&s->set->marker[i]->visitor->stock.balance);
  return used;
}

#endif
