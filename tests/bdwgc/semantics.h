/* What the tests on a libgc.so.1 share: how they are divided into parts, collect, check and leave
 * garbage behind. */
#ifndef TD_TESTS_BDWGC_SEMANTICS_H
#define TD_TESTS_BDWGC_SEMANTICS_H

#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                              \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

/* Builds garbage on a stack that is gone afterwards. */
#define APART __attribute__((noinline))

static APART void wipe_stack(void) {
  char room[8192];
  memset(room, 0, sizeof room);
  __asm__ volatile("" ::"r"(room) : "memory"); /* else the compiler leaves it all out */
}
/* Runs on a stack that is gone afterwards. */
static inline void *run_apart(void *call) {
  ((void (*)(void))call)();
  return NULL;
}
static inline void in_thread(void (*call)(void)) {
  pthread_t thread;
  CHECK(GC_pthread_create(&thread, NULL, run_apart, (void *)call) == 0);
  CHECK(GC_pthread_join(thread, NULL) == 0);
}
static inline void collect(void) {
  for (int i = 0; i < 3; i++) {
    wipe_stack();
    GC_gcollect();
  }
}

/* A program runs one part, which its argument names. */
struct part {
  const char *name;
  void (*run)(void);
  bool early; /* before GC_INIT */
};
static inline int run_part(const struct part *parts, size_t count, int argc, char **argv) {
  for (size_t i = 0; i < count; i++) {
    if (argc < 2 || strcmp(argv[1], parts[i].name) != 0) continue;
    if (!parts[i].early) GC_INIT();
    parts[i].run();
    return 0;
  }
  fprintf(stderr, "usage: %s PART\n", argv[0]);
  return 2;
}

/* The parts of roots.c. */
void roots(void);
void interior(void);
void fork_in_thread(void);
/* The parts of suspending.c. */
void suspended(void);
void thread_events(void);
void late_destructors(void);
/* The parts of finalizing.c. */
void all_finalizers(void);

#endif
