/* SPDX-License-Identifier: MIT */
/* Threads that the program suspends, and what it hears of stopped ones. Parts of bdwgc_semantics.
 */
#include "tests/bdwgc/semantics.h"

#include <signal.h>

#define THREADS 3
#define ROUNDS 60
#define NAP_US 2000

static _Atomic(unsigned long) steps[THREADS];
static _Atomic(bool) over;

/* Allocates, collects, takes the allocation lock, and holds objects by its stack alone. */
static void *work(void *data) {
  size_t number = (size_t)data;
  while (!over) {
    char *mine = GC_malloc_atomic(100);
    memset(mine, (int)number + 1, 100);
    soil(50, 100);
    if (steps[number] % 50 == 0) GC_gcollect();
    GC_call_with_alloc_lock(nothing, mine);
    for (int i = 0; i < 100; i++)
      CHECK(mine[i] == (char)(number + 1));
    steps[number]++;
  }
  return NULL;
}

static void suspend_one(pthread_t thread, size_t number) {
  GC_suspend_thread((GC_SUSPEND_THREAD_ID)thread);
  GC_suspend_thread((GC_SUSPEND_THREAD_ID)thread); /* no count */
  CHECK(GC_is_thread_suspended((GC_SUSPEND_THREAD_ID)thread));
  unsigned long before = steps[number];
  GC_gcollect();
  soil(300, 100);
  usleep(NAP_US);
  CHECK(steps[number] == before);
  GC_resume_thread((GC_SUSPEND_THREAD_ID)thread);
  CHECK(!GC_is_thread_suspended((GC_SUSPEND_THREAD_ID)thread));
  while (steps[number] == before)
    usleep(100);
}

static void *suspend_self(void *unused) {
  GC_suspend_thread((GC_SUSPEND_THREAD_ID)pthread_self());
  return unused;
}

PART(suspended) {
  pthread_t thread[THREADS], own;
  GC_allow_register_threads();
  start_all(thread, THREADS, work);
  for (size_t round = 0; round < ROUNDS; round++)
    suspend_one(thread[round % THREADS], round % THREADS);
  own = start(suspend_self, NULL);
  while (!GC_is_thread_suspended((GC_SUSPEND_THREAD_ID)own))
    usleep(100);
  GC_gcollect();
  GC_resume_thread((GC_SUSPEND_THREAD_ID)own);
  finish(own);
  GC_resume_thread((GC_SUSPEND_THREAD_ID)thread[0]); /* is not suspended */
  over = true;
  finish_all(thread, THREADS);
}

/* ---- The signal ---- */

static void *collect_while(void *unused) {
  do
    GC_gcollect();
  while (unused && !over);
  return unused;
}
/* "Has no effect after GC_init": with the number it has or another, with threads and without. */
PART(signal_chosen_late) {
  int number = GC_get_suspend_signal();
  GC_set_warn_proc(GC_ignore_warn_proc);
  for (int other = 0; other < 2; other++) {
    GC_set_suspend_signal(other ? SIGUSR2 : number);
    finish(start(collect_while, NULL));
    GC_set_suspend_signal(other ? SIGUSR2 : number);
    over = false;
    pthread_t thread = start(collect_while, (void *)1);
    GC_set_suspend_signal(other ? SIGUSR2 : number);
    collect();
    over = true;
    finish(thread);
  }
}

/* ---- The end of a thread ---- */

#define ROUNDS_LATE 4 /* in which destructors allocate: all that there are */
static pthread_key_t key;
static _Atomic(int) destroyed;
static void destroy(void *round) {
  char **list = GC_malloc(16);
  for (int i = 0; i < 100; i++) {
    *list = GC_strdup("a destructor's");
    list = GC_malloc(16);
  }
  destroyed++;
  if ((size_t)round < ROUNDS_LATE) pthread_setspecific(key, (char *)round + 1);
}
static void *end_slowly(void *unused) {
  GC_malloc(16);
  pthread_setspecific(key, (void *)1);
  return unused;
}
/* A stop waits for nobody who is gone. */
static void stop_often(void (*stop)(void)) {
  GC_allow_register_threads();
  CHECK(pthread_key_create(&key, destroy) == 0);
  for (int round = 0; round < 20; round++) {
    pthread_t thread[10];
    start_all(thread, 10, end_slowly);
    stop();
    finish_all(thread, 10);
    stop();
  }
  CHECK(destroyed == 20 * 10 * ROUNDS_LATE);
}
PART(late_destructors) {
  stop_often(GC_gcollect);
}
static void stop_and_fork(void) {
  int status;
  pid_t child = fork();
  if (child == 0) _exit(0);
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}
PART(late_destructors_fork, .early = true) {
  GC_set_handle_fork(1);
  GC_INIT();
  stop_often(stop_and_fork);
}

/* ---- Events ---- */

static pthread_t expected;
static int stops, starts;
static void on_event(GC_EventType event, void *thread) {
  if (!thread || !pthread_equal((pthread_t)thread, expected)) return;
  stops += event == GC_EVENT_THREAD_SUSPENDED;
  starts += event == GC_EVENT_THREAD_UNSUSPENDED;
}
static void *wait_for_end(void *unused) {
  while (!over) {
  }
  return unused;
}
PART(thread_events) {
  GC_allow_register_threads();
  expected = start(wait_for_end, NULL);
  GC_set_on_thread_event(on_event);
  CHECK(GC_get_on_thread_event() == on_event);
  for (int i = 0; i < 5; i++)
    GC_gcollect();
  CHECK(stops >= 5);
  CHECK(starts == stops);
  over = true;
  finish(expected);
}
