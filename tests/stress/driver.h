/* SPDX-License-Identifier: MIT */
/* What the drivers share: the headers that most of them need, checks that name themselves, a seeded
 * generator, numbers from the command line, the time; heaps and mutators, threads and children, and
 * how they end. A driver's exit status is 0, or 1 when a check failed. */
#ifndef TD_TESTS_STRESS_DRIVER_H
#define TD_TESTS_STRESS_DRIVER_H

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#ifndef __cplusplus
#include <stdatomic.h>
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/random.h"
#include "tests/scoped.h"
#include "tests/stats.h"
#include "tide/stats.h"
#include "tide/tide.h"

/* Callbacks need not look at all that they are told. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define CHECK(condition)                                                                           \
  ((condition)                                                                                     \
       ? (void)0                                                                                   \
       : (fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition), exit(1)))

/* Argument number `index`, or the default. */
static inline uint64_t argument(int count, char **arguments, int index, uint64_t otherwise) {
  if (index >= count) return otherwise;
  char *end;
  uint64_t value = strtoull(arguments[index], &end, 10);
  if (*end || end == arguments[index]) {
    fprintf(stderr, "%s: %s is no number\n", arguments[0], arguments[index]);
    exit(2);
  }
  return value;
}

/* An option `name` and what is behind it: a number, or a word. */
struct number_option {
  const char *name;
  double *value, min, max;
  const char **word;
};
/* The command line has nothing else; the last of the options has no name. */
static inline void read_options(int count, char **arguments, const struct number_option *options) {
  for (int i = 1; i < count; i += 2) {
    const struct number_option *option = options;
    while (option->name && strcmp(option->name, arguments[i]) != 0)
      option++;
    char *end = NULL;
    if (option->word && i + 1 < count) {
      *option->word = arguments[i + 1];
      continue;
    }
    if (option->name && i + 1 < count) *option->value = strtod(arguments[i + 1], &end);
    if (end && *end == 0 && *option->value >= option->min && *option->value <= option->max)
      continue;
    fprintf(stderr, "%s: unknown option or bad number: %s\n", arguments[0], arguments[i]);
    exit(2);
  }
}

static inline uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- Heaps and mutators ---- */

static inline struct tide_heap *heap_of(const struct tide_options *options) {
  struct tide_error error;
  struct tide_heap *heap = tide_heap_create(options, &error);
  if (!heap) fprintf(stderr, "%s\n", error.text);
  CHECK(heap);
  return heap;
}
/* Options that are not at their default, as HEAP(.markers = 4). */
#define HEAP(...) heap_of(&OPTIONS(__VA_ARGS__))
#define OPTIONS(...)                                                                               \
  (struct tide_options) {                                                                          \
    .struct_size = sizeof(struct tide_options), __VA_ARGS__                                        \
  }
/* .advanced = ADVANCED(.engine = "abp"), with tide/advanced.h */
#define ADVANCED(...)                                                                              \
  &(struct tide_advanced_options) {                                                                \
    .struct_size = sizeof(struct tide_advanced_options), __VA_ARGS__                               \
  }

static inline struct tide_mutator *mutator_of(struct tide_heap *heap,
                                              const struct tide_attach_options *options) {
  struct tide_error error;
  struct tide_mutator *m = tide_attach(heap, options, &error);
  if (!m) fprintf(stderr, "%s\n", error.text);
  CHECK(m);
  return m;
}
/* Likewise, as ATTACH(heap, .stack = TIDE_STACK_PRECISE). */
#define ATTACH(heap, ...)                                                                          \
  mutator_of(heap, &(struct tide_attach_options){                                                  \
                       .struct_size = sizeof(struct tide_attach_options), __VA_ARGS__})

static inline void mutator_end(struct tide_mutator **m) {
  CHECK(tide_detach(*m) == TIDE_OK);
}
#define SCOPED_MUTATOR SCOPED(mutator_end) struct tide_mutator *

/* There must be memory for it. */
static inline void *new_object(struct tide_mutator *m, tide_layout layout, size_t bytes) {
  void *object = tide_alloc(m, layout, bytes);
  CHECK(object);
  return object;
}
/* Makes a call that waits. */
#define BLOCKED(m, call) (tide_blocking_enter(m), (void)(call), tide_blocking_leave(m))

static inline void heap_end(struct tide_heap *heap, struct tide_mutator *m) {
  CHECK(tide_detach(m) == TIDE_OK && tide_heap_destroy(heap) == TIDE_OK);
}

/* ---- Threads and children ---- */

static inline pthread_t thread_new(void *(*run)(void *), void *argument) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, run, argument) == 0);
  return thread;
}
/* Returns what the thread returned, which may collect meanwhile. `m` is NULL where this one is not
 * attached. */
static inline void *thread_end(struct tide_mutator *m, pthread_t thread) {
  void *result;
  if (m) tide_blocking_enter(m);
  CHECK(pthread_join(thread, &result) == 0);
  if (m) tide_blocking_leave(m);
  return result;
}
static inline void threads_end(struct tide_mutator *m, const pthread_t *threads, size_t count) {
  for (size_t i = 0; i < count; i++)
    thread_end(m, threads[i]);
}

/* Threads that do the same, each with its number, from 1, as its argument. */
struct crew {
  pthread_t threads[64];
  uint64_t count;
};
static inline struct crew crew_new(void *(*run)(void *), uint64_t count) {
  struct crew crew = {.count = count};
  CHECK(count <= 64);
  for (uintptr_t i = 0; i < count; i++)
    crew.threads[i] = thread_new(run, (void *)(i + 1));
  return crew;
}
static inline void crew_end(struct tide_mutator *m, const struct crew *crew) {
  threads_end(m, crew->threads, crew->count);
}

/* Waits for the child, which must end well. */
static inline void expect_child(pid_t child) {
  int status;
  CHECK(child > 0);
  while (waitpid(child, &status, 0) != child)
    CHECK(errno == EINTR); /* by a signal, where the system does not begin again */
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

enum { SAID_MOST = 1 << 16 };
/* Calls `run` in a child, which ends with 0 if it returns. Returns how it ended, as waitpid;
 * `said`, of SAID_MOST bytes, is what it wrote to the standard error. */
static inline int child_says(void (*run)(const void *), const void *argument, char *said) {
  int pipes[2], status;
  CHECK(pipe(pipes) == 0);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    CHECK(dup2(pipes[1], STDERR_FILENO) >= 0);
    run(argument);
    _exit(0);
  }
  close(pipes[1]);
  size_t used = 0;
  for (ssize_t got; (got = read(pipes[0], said + used, SAID_MOST - 1 - used)) > 0;)
    used += (size_t)got;
  said[used] = 0;
  close(pipes[0]);
  CHECK(waitpid(child, &status, 0) == child);
  return status;
}

#endif
