/* SPDX-License-Identifier: MIT */
/* What the marking drivers share: a heap with one mutator, and a collection whose marks are
 * compared with an independent serial marking. Drivers are plain programs, so that they run under
 * ThreadSanitizer too. */
#ifndef TD_TESTS_MARKING_RIG_H
#define TD_TESTS_MARKING_RIG_H

#include "tests/stress/driver.h"
#include "tide/advanced.h"

/* One marker races with nobody: it is left out where races alone are looked for. */
#ifdef __SANITIZE_THREAD__
enum { RIG_MARKERS_LEAST = 2 };
#else
enum { RIG_MARKERS_LEAST = 1 };
#endif

struct rig {
  struct tide_heap *heap;
  struct tide_mutator *m;
  const char *engine, *policy;
  unsigned markers;
  struct tide_cycle_stats cycle; /* of the last collection */
  struct tide_marker_stats marker[TIDE_MARKERS_MAX];
  uint64_t marked; /* by the last collection, each object once */
};

/* Queues of blocks * items; 0, 0: what the engine likes. Only handles and roots count: the
 * mutator's stack is not scanned. */
static inline void rig_open(struct rig *r, size_t heap_max_bytes, uint32_t blocks, uint32_t items) {
  *r = (struct rig){.engine = "bwos", .policy = "best-of-two", .markers = 1};
  CHECK(setenv("TIDE_CPUS", "256", 1) == 0); /* all take part, however few CPUs there are */
  r->heap = HEAP(.advanced = ADVANCED(.engine = r->engine, .policy = r->policy,
                                      .queue_blocks = blocks, .queue_block_items = items),
                 .heap_max_bytes = heap_max_bytes, .markers = 1);
  r->m = ATTACH(r->heap, .stack = TIDE_STACK_PRECISE);
}

static inline void rig_close(struct rig *r) {
  heap_end(r->heap, r->m);
}

/* By way of one marker, because `serial` can have no more. */
static inline void rig_configure(struct rig *r, const char *engine, unsigned markers) {
  CHECK(tide_heap_set_markers(r->heap, 1, NULL) == TIDE_OK);
  CHECK(tide_heap_set_engine(r->heap, engine, NULL) == TIDE_OK);
  CHECK(tide_heap_set_markers(r->heap, markers, NULL) == TIDE_OK);
  r->engine = engine;
  r->markers = markers;
}

/* The policies in turn, any number. */
static inline void rig_choose_policy(struct rig *r, uint64_t number) {
  size_t count = 0;
  while (tide_policy_name(count))
    count++;
  r->policy = tide_policy_name(number % count);
  CHECK(tide_heap_set_policy(r->heap, r->policy, NULL) == TIDE_OK);
}

/* One of the engines, any number. */
static inline const char *rig_engine_of(uint64_t number) {
  size_t count = 0;
  while (tide_engine_name(count))
    count++;
  return tide_engine_name(number % count);
}

static inline bool rig_engine_may(const char *engine, unsigned markers) {
  return markers == 1 || strcmp(engine, "serial") != 0;
}

static inline void rig_complain(const struct rig *r, const char *what, const char *why) {
  fprintf(stderr, "%s, engine %s, policy %s, %u markers: %s\n", what, r->engine, r->policy,
          r->markers, why);
  exit(1);
}

/* What every collection must show: an object is counted once by one marker and, by several, no
 * more than once by each; nobody sleeps more often than it wakes but for the sleep it is in. */
static inline void rig_check_counters(const struct rig *r, const char *what) {
  const struct tide_cycle_stats *c = &r->cycle;
  uint64_t objects = 0, steals = 0, stolen = 0;
  for (unsigned i = 0; i < c->markers; i++) {
    const struct tide_marker_stats *one = &r->marker[i];
    objects += one->objects;
    steals += one->steals;
    stolen += one->stolen_items;
    if (one->parks != one->wakes) rig_complain(r, what, "parks and wakes do not balance");
  }
  if (c->markers != r->markers || strcmp(c->engine, r->engine) != 0)
    rig_complain(r, what, "not as configured");
  if (c->recruited == 0 || c->recruited > c->markers) rig_complain(r, what, "wrong recruits");
  if (objects != c->objects || steals != c->steals) rig_complain(r, what, "sums are wrong");
  if (stolen < steals) rig_complain(r, what, "a steal without an item");
  if (c->objects < r->marked || c->objects > r->marked * c->markers)
    rig_complain(r, what, "more or fewer objects counted than there are");
  if (c->markers == 1 && c->objects != r->marked)
    rig_complain(r, what, "one marker counted an object twice");
}

/* Collects and compares; returns how many objects the serial marking found. Some may have been
 * marked after all markers' work: the values of ephemerons. */
static inline uint64_t rig_compare(struct rig *r, const char *what) {
  CHECK(tide_collect(r->m) == TIDE_OK);
  struct tide_check check;
  if (tide_check_marks(r->m, &check) != TIDE_OK) rig_complain(r, what, check.difference);
  struct tide_error error;
  if (tide_check_heap(r->m, &error) != TIDE_OK) rig_complain(r, what, error.text);
  r->marked = tide_count_marked(r->m);
  if (r->marked != check.objects) rig_complain(r, what, "wrong number of marks");
  r->cycle = cycle_of(r->heap);
  tide_marker_stats(r->heap, r->marker, TIDE_MARKERS_MAX);
  return check.objects;
}

/* The same where the markers mark everything. */
static inline uint64_t rig_collect(struct rig *r, const char *what) {
  uint64_t objects = rig_compare(r, what);
  rig_check_counters(r, what);
  return objects;
}

/* On every engine. */
static inline void rig_expect(struct rig *r, unsigned markers, uint64_t objects, const char *what) {
  const char *engine;
  for (size_t e = 0; (engine = tide_engine_name(e)); e++) {
    if (!rig_engine_may(engine, markers)) continue;
    rig_configure(r, engine, markers);
    CHECK(rig_collect(r, what) == objects);
  }
}

static inline void *rig_cell(struct rig *r, tide_layout layout, size_t bytes) {
  void *object = tide_alloc(r->m, layout, bytes);
  CHECK(object);
  return object;
}

#endif
