/* SPDX-License-Identifier: MIT */
/* What threads return is alive until they are joined, whoever has had their number. */
#include "tests/bdwgc/semantics.h"

#include <dlfcn.h>
#include <semaphore.h>

enum { WORDS = 8 };

static sem_t ended, joined, go;
static _Atomic(bool) waits;
static pthread_t first;

/* A join that has just returned may lose its CPU. Takes the place of the C library's. */
__attribute__((visibility("default"))) int pthread_join(pthread_t thread, void **result) {
  int (*join)(pthread_t, void **) = (int (*)(pthread_t, void **))dlsym(RTLD_NEXT, "pthread_join");
  int error = join(thread, result);
  if (atomic_exchange(&waits, false)) {
    sem_post(&joined);
    sem_wait(&go);
  }
  return error;
}

static void *make_result(void *number) {
  uintptr_t *result = GC_malloc(WORDS * sizeof *result);
  for (int i = 0; i < WORDS; i++)
    result[i] = (uintptr_t)number;
  return result;
}

static void *end(void *number) {
  void *result = make_result(number);
  sem_post(&ended);
  return result;
}

static pthread_t start_and_end(uintptr_t number) {
  pthread_t thread = start(end, (void *)number);
  sem_wait(&ended);
  usleep(20000); /* it is about to */
  return thread;
}

static void *join_first(void *unused) {
  finish(first);
  return unused;
}

static void use_memory(void) {
  for (int i = 0; i < 2000; i++)
    make_result(NULL);
}

PART(results_renumbered) {
  CHECK(sem_init(&ended, 0, 0) == 0 && sem_init(&joined, 0, 0) == 0 && sem_init(&go, 0, 0) == 0);
  first = start_and_end(1);
  atomic_store(&waits, true);
  pthread_t joiner = start(join_first, NULL);
  sem_wait(&joined);
  pthread_t second = start_and_end(2); /* as a rule it has the number of the first */
  sem_post(&go);
  finish(joiner);
  collect();
  in_thread(use_memory);
  CHECK(*(uintptr_t *)finish(second) == 2);
}

static void *wait_and_end(void *number) {
  sem_wait(&go);
  return end(number);
}

/* Threads that are detached before their end, after it, and by themselves; and a cancelled one. */
static void *detach_self(void *unused) {
  CHECK(GC_pthread_detach(pthread_self()) == 0);
  return make_result(unused);
}
static void *be_cancelled(void *unused) {
  for (;;)
    pause();
  return unused;
}
PART(results_unwanted) {
  CHECK(sem_init(&ended, 0, 0) == 0 && sem_init(&go, 0, 0) == 0);
  for (int i = 0; i < 20; i++) {
    CHECK(GC_pthread_detach(start_and_end(1)) == 0);
    CHECK(GC_pthread_detach(start(wait_and_end, NULL)) == 0);
    sem_post(&go);
    sem_wait(&ended);
    start(detach_self, NULL);
    pthread_t cancelled = start(be_cancelled, NULL);
    CHECK(GC_pthread_cancel(cancelled) == 0 && finish(cancelled) == PTHREAD_CANCELED);
    CHECK(*(uintptr_t *)finish(start_and_end(3)) == 3);
  }
}
