/* SPDX-License-Identifier: MIT */
/* Threads that are cancelled inside the library. */
#include "tests/bdwgc/semantics.h"

static pthread_t sleeper;

/* ---- Functions that are left ---- */

static int cleaned;
static void clean(void *unused) {
  for (int i = 0; i < 1000; i++)
    GC_malloc(100);
  GC_gcollect();
  cleaned++;
}
static void *leave(void *unused) {
  pthread_testcancel();
  return unused;
}
static void *leave_actively(void *unused) {
  return GC_call_with_gc_active(leave, unused);
}
static void *leave_wrapped(void *letter) {
  const char how = *(const char *)letter;
  pthread_cleanup_push(clean, NULL);
  pthread_cancel(pthread_self());
  if (how == 'j') GC_pthread_join(sleeper, NULL);
  if (how == 'b') GC_do_blocking(leave, NULL);
  if (how == 'a') GC_do_blocking(leave_actively, NULL);
  if (how == 'l') GC_call_with_alloc_lock(leave, NULL);
  if (how == 'e') GC_pthread_exit(PTHREAD_CANCELED);
  pthread_cleanup_pop(0);
  return NULL;
}
/* What a thread held is free afterwards, and its own handlers may do anything. */
PART(cancelled_left) {
  _Atomic(bool) may_end = false;
  sleeper = start(await_end, &may_end);
  for (const char *how = "jbale"; *how; how++) {
    cleaned = 0;
    CHECK(finish(start(leave_wrapped, (void *)how)) == PTHREAD_CANCELED);
    CHECK(cleaned == 1);
    GC_call_with_alloc_lock(nothing, NULL);
    collect();
  }
  may_end = true;
  finish(sleeper);
}

/* ---- At any time ---- */

static _Atomic(int) made, ran;
static void *child(void *text) {
  CHECK(memcmp(text, "argument", 9) == 0);
  ran++;
  return NULL;
}
static void soil_stack(void *unused) {
  char junk[4096];
  memset(junk, 0x5a, sizeof junk);
  __asm__ volatile("" ::"r"(junk) : "memory");
}
static void *create(void *unused) {
  pthread_cleanup_push(soil_stack, NULL);
  for (int i = 0; i < 60; i++) {
    pthread_t thread = start(child, GC_strdup("argument"));
    made++;
    GC_pthread_detach(thread);
  }
  for (;;)
    pthread_testcancel();
  pthread_cleanup_pop(0);
  return unused;
}
PART(cancelled_creators) {
  _Atomic(bool) over = false;
  pthread_t other = start(collect_until, &over);
  for (int round = 0; round < 10; round++) {
    pthread_t thread = start(create, NULL);
    usleep(500 * round);
    pthread_cancel(thread);
    CHECK(finish(thread) == PTHREAD_CANCELED);
  }
  while (ran < made)
    usleep(1000);
  CHECK(made == 600);
  over = true;
  finish(other);
}

/* A thread that suspended itself is cancelled when it is resumed. */
static _Atomic(bool) went_on;
static void *suspend_self(void *unused) {
  GC_suspend_thread((GC_SUSPEND_THREAD_ID)pthread_self());
  went_on = true;
  pthread_testcancel();
  return unused;
}
PART(cancelled_self_suspended) {
  GC_allow_register_threads();
  pthread_t thread = start(suspend_self, NULL);
  while (!GC_is_thread_suspended((GC_SUSPEND_THREAD_ID)thread))
    usleep(100);
  pthread_cancel(thread);
  usleep(10000);
  CHECK(!went_on);
  GC_resume_thread((GC_SUSPEND_THREAD_ID)thread);
  CHECK(finish(thread) == PTHREAD_CANCELED);
  CHECK(went_on);
}
