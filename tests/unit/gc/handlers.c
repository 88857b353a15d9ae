/* SPDX-License-Identifier: MIT */
/* Handlers of fork that the program registered before there was a heap. */
#include "tests/unit/gc/child.h"

static struct world *forking;
static int calls;

static void use_heap(void) {
  void *object = tide_alloc(forking->m, forking->pair, sizeof(struct pair));
  calls += object && tide_collect(forking->m) == TIDE_OK;
}

static bool may_allocate(const void *unused) {
  (void)unused;
  alarm(20);
  cr_assert_eq(pthread_atfork(use_heap, use_heap, use_heap), 0);
  SCOPED_WORLD w = world_new();
  forking = &w;
  pid_t child = fork();
  if (child == 0) _exit(calls);
  int status;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 2 &&
         calls == 2;
}

Test(handlers, of_before_the_heap_may_allocate) {
  cr_assert_eq(child_of(may_allocate, NULL), 0, "%s", told);
}
