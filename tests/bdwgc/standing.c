/* SPDX-License-Identifier: MIT */
/* A world that the program stops, and forks while threads wait for the library. Parts of
 * bdwgc_semantics. */
#include "tests/bdwgc/semantics.h"

/* ---- The world, stopped by the program ---- */

#define THREADS 3
#define ROUNDS 50
#define NAP_US 2000

static _Atomic(unsigned long) steps[THREADS];
static _Atomic(bool) over;

static void *work(void *data) {
  size_t number = (size_t)data;
  while (!over) {
    void **list = NULL;
    for (int i = 0; i < 50; i++) {
      void **cell = GC_malloc(2 * sizeof *cell);
      *cell = (void *)list;
      list = cell;
    }
    if (number == 0 && steps[0] % 50 == 0) GC_gcollect();
    steps[number]++;
  }
  return NULL;
}

static void count(void *object, size_t bytes, void *total) {
  CHECK(object && bytes);
  *(size_t *)total += bytes;
}

static void stop_once(char *kept) {
  unsigned long before[THREADS];
  size_t total = 0;
  GC_stop_world_external();
  for (int i = 0; i < THREADS; i++)
    before[i] = steps[i];
  CHECK(GC_base(kept + 5) == kept);
  CHECK(GC_size(kept) >= 100);
  usleep(NAP_US);
  GC_enumerate_reachable_objects_inner(count, &total);
  for (int i = 0; i < THREADS; i++)
    CHECK(steps[i] == before[i]);
  GC_start_world_external();
  CHECK(total >= 100);
}

PART(standing_world) {
  pthread_t thread[THREADS];
  GC_allow_register_threads();
  start_all(thread, THREADS, work);
  char *kept = GC_malloc(100);
  GC_gcollect(); /* what is enumerated is what was marked */
  for (int round = 0; round < ROUNDS; round++) {
    stop_once(kept);
    unsigned long before = steps[round % THREADS];
    CHECK(GC_malloc(100)); /* may be done again */
    if (round % 10 == 0) GC_gcollect();
    while (steps[round % THREADS] == before)
      usleep(100);
  }
  over = true;
  finish_all(thread, THREADS);
}

/* ---- Forks while threads wait for the library's locks ---- */

#define FORKS 150
#define CHILD_SECONDS 20

static char more_roots[THREADS][64] __attribute__((aligned(16)));

static void *nap(void *data) {
  for (volatile int i = 0; i < 200; i++) {
  }
  return data;
}

/* One turn with each lock that there is. */
static void take_locks(size_t number) {
  char *roots = more_roots[number];
  GC_call_with_alloc_lock(nap, NULL);
  GC_add_roots(roots, roots + 64);
  GC_remove_roots(roots, roots + 64);
  GC_register_displacement(8 * number);
  GC_is_thread_suspended((GC_SUSPEND_THREAD_ID)pthread_self());
  CHECK(GC_malloc(100));
}
static void *take_in_region(void *unused) {
  return GC_call_with_alloc_lock(nap, unused);
}

static void *keep_locking(void *data) {
  size_t number = (size_t)data;
  while (!over) {
    take_locks(number);
    GC_do_blocking(take_in_region, NULL);
    steps[number]++;
  }
  return NULL;
}
static void *keep_starting(void *unused) {
  while (!over) {
    finish(start(nothing, NULL));
  }
  return unused;
}

static void live_as_child(void) {
  alarm(CHILD_SECONDS);
  take_locks(0);
  GC_do_blocking(take_in_region, NULL);
  over = false;
  finish(start(nothing, NULL));
  GC_gcollect();
  _exit(0);
}

static void fork_once(void) {
  pid_t child = fork();
  if (child == 0) live_as_child();
  expect_child(child);
}
static void *fork_with_lock(void *unused) {
  pid_t child = fork();
  if (child == 0) return (void *)1;
  expect_child(child);
  return unused;
}

PART(standing_forks) {
  pthread_t thread[THREADS + 1];
  GC_allow_register_threads();
  start_all(thread, THREADS, keep_locking);
  thread[THREADS] = start(keep_starting, NULL);
  for (int i = 0; i < FORKS; i++) {
    fork_once();
    if (i % 10 == 0) GC_gcollect();
    /* On the other library a fork by the lock's holder waits for ever. */
    if (i % 10 == 5 && getenv("TD_OURS") && GC_call_with_alloc_lock(fork_with_lock, NULL))
      live_as_child();
  }
  over = true;
  finish_all(thread, THREADS + 1);
}
