/* SPDX-License-Identifier: MIT */
/* What the tests on a libgc.so.1 share: how they are divided into parts, collect, check and leave
 * garbage behind. */
#ifndef TD_TESTS_BDWGC_SEMANTICS_H
#define TD_TESTS_BDWGC_SEMANTICS_H

#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                              \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

/* Builds garbage on a stack that is gone afterwards. */
#define APART __attribute__((noinline, unused))

static APART void wipe_stack(void) {
  char room[8192];
  memset(room, 0, sizeof room);
  __asm__ volatile("" ::"r"(room) : "memory"); /* else the compiler leaves it all out */
}
static inline pthread_t start(void *(*run)(void *), void *data) {
  pthread_t thread;
  CHECK(GC_pthread_create(&thread, NULL, run, data) == 0);
  return thread;
}
static inline void *finish(pthread_t thread) {
  void *result;
  CHECK(GC_pthread_join(thread, &result) == 0);
  return result;
}
/* Runs on a stack that is gone afterwards. */
static inline void *run_apart(void *call) {
  ((void (*)(void))call)();
  return NULL;
}
static inline void in_thread(void (*call)(void)) {
  finish(start(run_apart, (void *)call));
}
static inline void finish_all(const pthread_t *threads, int count) {
  for (int i = 0; i < count; i++)
    finish(threads[i]);
}
/* Waits for the child, which must end well. */
static inline void expect_child(pid_t child) {
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}
/* Bodies of threads. */
static inline void *nothing(void *data) {
  return data;
}
static inline void *await_end(void *data) {
  while (!atomic_load((_Atomic(bool) *)data))
    usleep(1000);
  return data;
}
static inline void collect(void) {
  for (int i = 0; i < 3; i++) {
    wipe_stack();
    GC_gcollect();
  }
}

/* Fills atomic objects with ones and drops them: memory that was not kept is written over. */
static APART void soil(int objects, size_t bytes) {
  for (int i = 0; i < objects; i++)
    memset(GC_malloc_atomic(bytes), 0xff, bytes);
}

/* bdwgc_semantics runs one part, which its argument names. */
struct part {
  const char *name;
  void (*run)(void);
  bool early; /* before GC_INIT */
};
/* Those of a file; the last has no name. */
extern const struct part semantics_parts[], roots_parts[], finalizing_parts[], suspending_parts[],
    lists_parts[], debugging_parts[], standing_parts[], base_only_parts[], cancelled_parts[],
    every_call_parts[], scarce_parts[], signal_stack_parts[], loader_lock_parts[];

#endif
