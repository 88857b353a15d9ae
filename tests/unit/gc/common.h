/* SPDX-License-Identifier: MIT */
/* A small heap with one attached mutator, for tests. */
#ifndef TD_TESTS_UNIT_GC_COMMON_H
#define TD_TESTS_UNIT_GC_COMMON_H

#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/scoped.h"
#include "tests/stats.h"
#include "tide/stats.h"
#include "tide/tide.h"

/* HeapTest(suite, name, …): a test with a small heap `w` of its own, made by world_new. It is there
 * at the beginning, and has to let itself be destroyed at the end. */
#define HeapTest(...) IN_WORLD(world_new(), __VA_ARGS__, .init = NULL)
/* The same with the thread's stack as a root. */
#define StackTest(...) IN_WORLD(world_on_stack(), __VA_ARGS__, .init = NULL)
#define IN_WORLD(make, suite, name, ...)                                                           \
  static void in_world_##suite##_##name(struct world w);                                           \
  Test(suite, name, __VA_ARGS__) {                                                                 \
    SCOPED_WORLD w = make;                                                                         \
    in_world_##suite##_##name(w);                                                                  \
  }                                                                                                \
  static void in_world_##suite##_##name(struct world w)

/* What the library calls, with parameters of these names, used or not. */
#define UNUSED __attribute__((unused))
#define EVENT(name)                                                                                \
  static void name(UNUSED struct tide_heap *heap, UNUSED enum tide_event event,                    \
                   UNUSED uint64_t now_ns, UNUSED void *context)
#define TRACE(name)                                                                                \
  static void name(UNUSED void *object, UNUSED size_t bytes, UNUSED struct tide_tracer *tracer,    \
                   UNUSED void *context)
#define VISIT(name)                                                                                \
  UNUSED static bool name(UNUSED void *object, UNUSED size_t bytes, UNUSED tide_layout layout,     \
                          UNUSED void *context)
#define ROOTS_OF(name) static void name(UNUSED struct tide_tracer *tracer, UNUSED void *context)
#define LOOK(name) static void name(UNUSED struct tide_walk *walk, UNUSED void *context)
#define SEE_OBJECT(name)                                                                           \
  static bool name(UNUSED struct tide_walk *walk, UNUSED const struct tide_walk_object *object,    \
                   UNUSED void *context)
#define FINALIZER(name) static void name(UNUSED void *object, UNUSED void *context)
#define RECLAIM(name)                                                                              \
  static void name(UNUSED void *object, UNUSED size_t bytes, UNUSED void *context)
#define REPORT(name) static void name(UNUSED struct tide_root_list *list, UNUSED void *context)

/* How a test of misuse ends: debug builds of the library say what was wrong and abort. */
#ifdef TD_DEBUG
#define TOLD SIGABRT
#else
#define TOLD 0
#endif

#define MIB ((size_t)1 << 20)

struct pair {
  struct pair *left, *right;
  uint64_t number;
};

struct world {
  struct tide_heap *heap;
  struct tide_mutator *m;
  tide_layout pair;
};

/* The options of a small heap, but for those that a test names, as OPTIONS(.markers = 4). */
#define OPTIONS(...) options_of((struct tide_options){__VA_ARGS__})
static inline struct tide_options options_of(struct tide_options options) {
  options.struct_size = sizeof options;
  if (options.heap_max_bytes == 0) options.heap_max_bytes = (size_t)64 << 20;
  if (options.markers == 0) options.markers = 2;
  return options;
}
static inline struct tide_options small_options(void) {
  return OPTIONS(.markers = 2);
}

static inline struct tide_mutator *mutator_of(struct tide_heap *heap, enum tide_stack stack,
                                              enum tide_stop stop) {
  struct tide_error error;
  struct tide_attach_options options;
  tide_attach_options_init(&options);
  options.stack = stack;
  options.stop = stop;
  struct tide_mutator *m = tide_attach(heap, &options, &error);
  cr_assert_not_null(m, "%s", error.text);
  return m;
}

static inline void mutator_end(struct tide_mutator **m) {
  cr_assert_eq(tide_detach(*m), TIDE_OK);
}
#define SCOPED_MUTATOR SCOPED(mutator_end) struct tide_mutator *

static inline struct world world_with(struct tide_options options, enum tide_stack stack) {
  struct tide_error error;
  struct world w = {.heap = tide_heap_create(&options, &error)};
  cr_assert_not_null(w.heap, "%s", error.text);
  w.m = mutator_of(w.heap, stack, TIDE_STOP_POLL);
  size_t offsets[] = {offsetof(struct pair, left), offsetof(struct pair, right)};
  w.pair = tide_layout_offsets(w.heap, sizeof(struct pair), offsets, 2, &error);
  cr_assert_neq(w.pair, TIDE_LAYOUT_INVALID, "%s", error.text);
  return w;
}

/* Precise roots, so that a test knows exactly what is reachable. */
#define WORLD(...) world_with(OPTIONS(__VA_ARGS__), TIDE_STACK_PRECISE)
static inline struct world world_new(void) {
  return WORLD(.markers = 2);
}

static inline struct world world_on_stack(void) {
  return world_with(small_options(), TIDE_STACK_CONSERVATIVE);
}

static inline void world_end(struct world *w) {
  cr_assert_eq(tide_detach(w->m), TIDE_OK);
  cr_assert_eq(tide_heap_destroy(w->heap), TIDE_OK);
}
#define SCOPED_WORLD SCOPED(world_end) struct world

static inline struct pair *pair_new(struct world *w, void *left, void *right, uint64_t number) {
  struct pair *p = (struct pair *)tide_alloc(w->m, w->pair, sizeof *p);
  cr_assert_not_null(p);
  p->left = (struct pair *)left;
  p->right = (struct pair *)right;
  p->number = number;
  return p;
}

static inline void expect_refused(struct world *w, const void *object, enum tide_status status) {
  cr_assert_null(object);
  cr_assert_eq(tide_alloc_status(w->m), status);
}

/* Returns the object, which lives to the end. */
static inline void *held(struct world *w, void *object) {
  cr_assert_not_null(object);
  cr_assert_not_null(tide_handle(w->m, object));
  return object;
}

/* A handle of a list of `length` pairs, each with its number, the last one first. */
static inline void **list_new(struct world *w, uint64_t length) {
  void **head = tide_handle(w->m, NULL);
  cr_assert_not_null(head);
  for (uint64_t i = 0; i < length; i++)
    *head = pair_new(w, *head, NULL, i);
  return head;
}

static inline pthread_t thread_new(void *(*run)(void *), void *argument) {
  pthread_t thread;
  cr_assert_eq(pthread_create(&thread, NULL, run, argument), 0);
  return thread;
}
/* Waits in a blocking section. Returns what the thread returned. */
static inline void *thread_end(struct tide_mutator *m, pthread_t thread) {
  void *result;
  tide_blocking_enter(m);
  cr_assert_eq(pthread_join(thread, &result), 0);
  tide_blocking_leave(m);
  return result;
}

static inline void threads_end(struct tide_mutator *m, const pthread_t *threads, int count) {
  for (int i = 0; i < count; i++)
    thread_end(m, threads[i]);
}

/* To be freed. */
static inline char *read_all(const char *path) {
  FILE *file = fopen(path, "r");
  cr_assert_not_null(file);
  char *text = calloc(1, 1 << 20);
  cr_assert_lt(fread(text, 1, (1 << 20) - 1, file), (1 << 20) - 1);
  fclose(file);
  return text;
}

/* What a snapshot of the heap says. To be freed. */
static inline char *snapshot_text(struct world *w) {
  char path[] = "/tmp/tide-snapshot-XXXXXX";
  int file = mkstemp(path);
  cr_assert(file >= 0 && close(file) == 0);
  struct tide_error error;
  cr_assert_eq(tide_heap_snapshot(w->m, path, &error), TIDE_OK, "%s", error.text);
  char *text = read_all(path);
  unlink(path);
  return text;
}

static inline uint64_t number_after(const char *text, const char *key) {
  const char *at = strstr(text, key);
  cr_assert_not_null(at, "%s", key);
  return strtoull(at + strlen(key), NULL, 10);
}

VISIT(count_visit) {
  ++*(uint64_t *)context;
  return true;
}

static inline bool is_zero(const void *start, size_t bytes) {
  const unsigned char *at = start;
  return bytes == 0 || (at[0] == 0 && memcmp(at, at + 1, bytes - 1) == 0);
}

static inline uint64_t count_objects(struct world *w) {
  uint64_t count = 0;
  cr_assert_eq(tide_heap_walk(w->m, count_visit, &count), TIDE_OK);
  return count;
}

static inline void expect_order(struct world *w) {
  struct tide_error error;
  cr_assert_eq(tide_check_heap(w->m, &error), TIDE_OK, "%s", error.text);
}

/* What the roots reach is marked, and the heap is in order. Returns how many objects are marked. */
static inline uint64_t expect_sound(struct world *w) {
  struct tide_check check;
  enum tide_status status = tide_check_marks(w->m, &check);
  cr_assert_eq(status, TIDE_OK, "%s", check.difference);
  expect_order(w);
  return check.objects;
}

static inline uint64_t collections(struct world *w) {
  return stats_of(w->heap).collections;
}

/* Objects in the heap after a collection. */
static inline uint64_t live_after_collect(struct world *w) {
  cr_assert_eq(tide_collect(w->m), TIDE_OK);
  uint64_t marked = expect_sound(w), count = count_objects(w);
  cr_assert_eq(count, marked);
  return count;
}

#endif
