/* SPDX-License-Identifier: MIT */
/* Threads that come and go. Parts of bdwgc_semantics. */
#include "tests/bdwgc/semantics.h"

enum { VISITS = 2000, KEPT = 8 };
static void **kept; /* of the heap */

/* Of a callback in a thread that the program does not know. */
static void *visit_often(void *unused) {
  struct GC_stack_base base;
  CHECK(GC_get_stack_base(&base) == GC_SUCCESS);
  for (int visit = 0; visit < VISITS; visit++) {
    CHECK(GC_register_my_thread(&base) == GC_SUCCESS);
    for (size_t i = 0; i < KEPT; i++) {
      size_t words = 2 + i * 6;
      int **object = GC_malloc(words * sizeof *object);
      for (size_t word = 0; word < words; word++) {
        CHECK(!object[word]);
        object[word] = (int *)&kept[i]; /* no other has it by chance */
      }
      if (visit % 10 == 0) kept[visit / 10 * KEPT + (int)i] = object;
    }
    CHECK(GC_unregister_my_thread() == GC_SUCCESS);
  }
  return unused;
}
static void *join(void *thread) {
  CHECK(pthread_join(*(pthread_t *)thread, NULL) == 0);
  return NULL;
}

/* What they leave of their blocks is room for the next: they do not make collections come. */
PART(passing_threads) {
  pthread_t thread;
  GC_allow_register_threads();
  kept = GC_malloc(VISITS / 10 * KEPT * sizeof *kept);
  GC_word before = GC_get_gc_no();
  CHECK(pthread_create(&thread, NULL, visit_often, NULL) == 0);
  GC_do_blocking(join, &thread);
  CHECK(GC_get_gc_no() - before < 100);
  for (size_t i = 0; i < VISITS / 10 * KEPT; i++)
    CHECK(*(void ***)kept[i] == &kept[i % KEPT]);
}

enum { DANGLING = 100 };
static void **links; /* in memory that nobody searches */

static APART void refer_to_others(void) {
  for (int i = 0; i < DANGLING; i++) {
    void **object = kept[i] = GC_malloc(64), *other = GC_malloc(64);
    object[1] = other;
    links[i] = (void *)GC_HIDE_POINTER(other);
    CHECK(GC_general_register_disappearing_link(&links[i], other) == GC_SUCCESS);
  }
}
static void free_all(void) {
  for (int i = 0; i < DANGLING; i++)
    GC_free(kept[i]);
}

/* The program still points at what a thread has freed before its end. That keeps nothing of what it
 * referred to. */
PART(passing_freed) {
  kept = GC_malloc(DANGLING * sizeof *kept);
  links = calloc(DANGLING, sizeof *links);
  CHECK(links);
  in_thread(refer_to_others);
  in_thread(free_all);
  collect();
  CHECK(alive(links, 0, DANGLING) < DANGLING / 10);
}

/* Many threads that wait with one object each must not use up a heap's blocks: each of the other
 * threads would stop for a collection, again and again. */
enum { WAITING = 400 };
static _Atomic(int) made;
static _Atomic(bool) all_made;
static void *make_and_wait(void *unused) {
  void *volatile own = GC_malloc(16);
  atomic_fetch_add(&made, 1);
  await_end(&all_made);
  CHECK(own);
  return unused;
}
PART(passing_waiting) {
  pthread_t thread[WAITING];
  start_all(thread, WAITING, make_and_wait);
  while (atomic_load(&made) < WAITING)
    usleep(1000);
  CHECK(GC_get_gc_no() <= 4);
  atomic_store(&all_made, true);
  finish_all(thread, WAITING);
}
