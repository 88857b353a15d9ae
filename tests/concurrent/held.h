/* SPDX-License-Identifier: MIT */
/* A heap whose collections mark beside the program, and wait there for as long as a test wants:
 * the event that tells of the first resume, or of a later one, does not return before that. */
#ifndef TD_TESTS_CONCURRENT_HELD_H
#define TD_TESTS_CONCURRENT_HELD_H

#include <semaphore.h>
#include <time.h>

#include "tests/stress/driver.h"

struct held {
  struct tide_heap *heap;
  struct tide_mutator *m;
  sem_t begun, go;
  bool holds;       /* the next collection waits */
  bool has_budget;  /* or collections begin by themselves near the limit only */
  unsigned later;   /* stops after the first one, after which it waits */
  unsigned resumes; /* of the one that runs; the collecting thread's */
};

static inline void held_event(struct tide_heap *heap, enum tide_event event, uint64_t now_ns,
                              void *context) {
  struct held *held = context;
  if (event == TIDE_EVENT_RESUMED && tide_current(heap)) return; /* from a young one meanwhile */
  if (event == TIDE_EVENT_CYCLE_BEGIN) held->resumes = 0;
  if (event != TIDE_EVENT_RESUMED || held->resumes++ != held->later || !held->holds) return;
  sem_post(&held->begun);
  sem_wait(&held->go);
}

static inline void held_open(struct held *held, const struct tide_options *given) {
  struct tide_options options = *given;
  options.write_barrier = options.concurrent = true;
  if (!held->has_budget) options.sizing = TIDE_SIZING_FIXED;
  CHECK(sem_init(&held->begun, 0, 0) == 0 && sem_init(&held->go, 0, 0) == 0);
  held->heap = heap_of(&options);
  held->m = ATTACH(held->heap);
  tide_heap_on_event(held->heap, held_event, held);
}

static inline void held_close(struct held *held) {
  heap_end(held->heap, held->m);
  CHECK(sem_destroy(&held->begun) == 0 && sem_destroy(&held->go) == 0);
}

static inline bool held_wait(sem_t *semaphore) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec++;
  return sem_timedwait(semaphore, &until) == 0;
}

/* Begins a collection. Afterwards it marks, and does not end. One that had begun by itself may be
 * past that point: then it is the next. */
static inline void held_begin(struct held *held) {
  bool begun = false;
  held->holds = true;
  while (!begun) {
    CHECK(tide_collect_begin(held->m) == TIDE_OK);
    BLOCKED(held->m, begun = held_wait(&held->begun));
  }
}

/* Words that calls left on the stack keep nothing alive. Instrumented, it would skip red zones. */
static __attribute__((noinline, unused, no_sanitize("address"))) void held_clear_stack(void) {
  volatile char stack[8192];
  for (size_t i = 0; i < sizeof stack; i++)
    stack[i] = 0;
}

/* Returns how many collections have ended. */
static inline uint64_t held_collections(struct held *held) {
  return cycle_of(held->heap).number;
}

/* Each stop is told, and counts as a pause of its own. */
static inline void held_check_stops(const struct tide_cycle_stats *stats, uint64_t pauses) {
  uint64_t longest = 0;
  CHECK(pauses == stats->stops);
  for (unsigned i = 0; i < stats->stops; i++) {
    CHECK(stats->stops_ns[i] > 0);
    if (stats->stops_ns[i] > longest) longest = stats->stops_ns[i];
  }
  CHECK(stats->pause_ns == longest);
}

/* Lets it go on, and returns its figures. */
static inline struct tide_cycle_stats held_end(struct held *held) {
  uint64_t before = held_collections(held);
  struct tide_pause_histogram counted, pauses;
  tide_pause_histogram(held->heap, &counted);
  held->holds = false;
  sem_post(&held->go);
  while (held_collections(held) == before)
    tide_safepoint(held->m);
  struct tide_cycle_stats stats = cycle_of(held->heap);
  CHECK(stats.number == before + 1);
  tide_pause_histogram(held->heap, &pauses);
  held_check_stops(&stats, pauses.count - counted.count);
  return stats;
}

/* ---- A collection that another thread wants meanwhile, and waits for ---- */

struct held_other {
  struct held *held;
  enum tide_status (*collect)(struct tide_mutator *);
  _Atomic(bool) collected;
  pthread_t thread;
};

static inline void *held_other_thread(void *argument) {
  struct held_other *other = argument;
  SCOPED_MUTATOR m = ATTACH(other->held->heap);
  CHECK(other->collect(m) == TIDE_OK);
  other->collected = true;
  return NULL;
}

/* The collection is held; the other one has time to begin, and may not. */
static inline void held_other_begin(struct held *held, struct held_other *other) {
  other->held = held;
  held_begin(held);
  other->thread = thread_new(held_other_thread, other);
  BLOCKED(held->m, usleep(20000));
}

static inline void held_other_end(struct held_other *other) {
  struct held *held = other->held;
  CHECK(!other->collected);
  held->holds = false;
  sem_post(&held->go);
  thread_end(held->m, other->thread);
  CHECK(other->collected);
}

#endif
