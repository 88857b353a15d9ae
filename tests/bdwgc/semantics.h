/* SPDX-License-Identifier: MIT */
/* What the tests on a libgc.so.1 share: how they are divided into parts, collect, check and leave
 * garbage behind. */
#ifndef TD_TESTS_BDWGC_SEMANTICS_H
#define TD_TESTS_BDWGC_SEMANTICS_H

#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#include <gc/gc_disclaim.h>
#include <gc/gc_inline.h>
#include <gc/gc_mark.h>
#include <gc/gc_typed.h>
#include <gc/javaxfc.h>
#include <stdbool.h>

#include "tests/stress/driver.h"

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
/* Each is told its number. */
static inline void start_all(pthread_t *threads, size_t count, void *(*run)(void *)) {
  for (size_t i = 0; i < count; i++)
    threads[i] = start(run, (void *)i);
}
static inline void finish_all(const pthread_t *threads, int count) {
  for (int i = 0; i < count; i++)
    finish(threads[i]);
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
static inline void *collect_until(void *end) {
  while (!atomic_load((_Atomic(bool) *)end)) {
    GC_gcollect();
    GC_malloc(100);
  }
  return end;
}
/* The word, in memory that nobody searches, is NULL when the object has gone. */
static inline void *watch(void **word, void *object) {
  *word = object;
  CHECK(GC_general_register_disappearing_link(word, object) == GC_SUCCESS);
  return object;
}
static inline int alive(void **words, int from, int to) {
  int count = 0;
  for (int i = from; i < to; i++)
    count += words[i] != NULL;
  return count;
}
/* A finalizer. */
static inline void count_up(void *object, void *count) {
  ++*(int *)count;
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
  struct part *next;
};
extern struct part *parts;
#define PART(title, ...)                                                                           \
  static void title(void);                                                                         \
  static struct part part_##title = {.name = #title, .run = title, ##__VA_ARGS__};                 \
  __attribute__((constructor)) static void add_##title(void) {                                     \
    part_##title.next = parts;                                                                     \
    parts = &part_##title;                                                                         \
  }                                                                                                \
  static void title(void)

#endif
