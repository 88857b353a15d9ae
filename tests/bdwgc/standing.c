/* SPDX-License-Identifier: MIT */
/* A world that the program stops, threads on stacks that others name, and forks while threads wait
 * for the library. Usage: bdwgc_standing PART; runs on both libraries. */
#define _GNU_SOURCE 1
#include "tests/bdwgc/semantics.h"

#include <gc/gc_mark.h>
#include <gc/javaxfc.h>
#include <ucontext.h>

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
  for (size_t i = 0; i < THREADS; i++)
    thread[i] = start(work, (void *)i);
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

/* ---- Threads on other stacks ---- */

enum { STACK_BYTES = 256 << 10, OBJECTS = 100 };

static ucontext_t home, away;
static char *away_stack;
static struct GC_stack_base home_base, away_base;
static void *handle;
static _Atomic(bool) stands_there, may_return, may_end;
static void **watched; /* in memory that nobody searches */

static void stand_there(void) {
  void *mine[OBJECTS];
  for (int i = 0; i < OBJECTS; i++) {
    mine[i] = GC_malloc_atomic(100);
    watched[i] = mine[i];
    CHECK(GC_general_register_disappearing_link(&watched[i], mine[i]) == 0);
  }
  stands_there = true;
  while (!may_return)
    __asm__ volatile("" ::"r"(mine) : "memory");
}

static void *go_there(void *unused) {
  handle = GC_get_my_stackbottom(&home_base);
  CHECK(handle && (char *)home_base.mem_base > (char *)__builtin_frame_address(0));
  getcontext(&away);
  away.uc_stack.ss_sp = away_stack;
  away.uc_stack.ss_size = STACK_BYTES;
  away.uc_link = &home;
  makecontext(&away, stand_there, 0);
  swapcontext(&home, &away);
  stands_there = false;
  while (!may_end)
    usleep(100);
  struct GC_stack_base base;
  CHECK(GC_get_my_stackbottom(&base) == handle && base.mem_base == home_base.mem_base);
  return unused;
}

static void *set_bottom(void *base) {
  GC_set_stackbottom(handle, base);
  return NULL;
}

static void check_kept(void) {
  for (int i = 0; i < 3; i++) {
    GC_gcollect();
    soil(1000, 100);
  }
  for (int i = 0; i < OBJECTS; i++)
    CHECK(watched[i]);
}

static GC_push_other_roots_proc push_others;
static struct GC_stack_base *base_now;
static void push_and_set_bottom(void) {
  if (stands_there) GC_set_stackbottom(handle, base_now);
  push_others();
}

/* Until the thread has got there and is told of, a collection would end the process. */
static pthread_t start_thread(void) {
  pthread_t thread;
  GC_allow_register_threads();
  watched = malloc(OBJECTS * sizeof *watched);
  away_stack = aligned_alloc(4096, STACK_BYTES);
  CHECK(watched && away_stack);
  away_base.mem_base = away_stack + STACK_BYTES;
  GC_disable();
  thread = start(go_there, NULL);
  while (!stands_there)
    usleep(100);
  return thread;
}

static void end_thread(pthread_t thread) {
  may_return = true;
  while (stands_there)
    usleep(100);
  GC_enable();
  GC_gcollect();
  may_end = true;
  finish(thread);
}

/* The scheduler says so, with the lock. */
PART(standing_other_stack) {
  pthread_t thread = start_thread();
  GC_call_with_alloc_lock(set_bottom, &away_base);
  GC_enable();
  check_kept();
  GC_disable();
  GC_call_with_alloc_lock(set_bottom, &home_base);
  end_thread(thread);
}

/* Each collection is told, as Crystal's runtime does. */
PART(standing_other_stack_in_collection) {
  pthread_t thread = start_thread();
  base_now = &away_base;
  push_others = GC_get_push_other_roots();
  GC_set_push_other_roots(push_and_set_bottom);
  GC_enable();
  check_kept();
  GC_disable();
  GC_set_push_other_roots(push_others);
  GC_call_with_alloc_lock(set_bottom, &home_base);
  end_thread(thread);
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
  for (size_t i = 0; i < THREADS; i++)
    thread[i] = start(keep_locking, (void *)i);
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
