/* SPDX-License-Identifier: MIT */
/* Forks: while dead objects are told of, and with handlers of the program's. */
#include "gc/state/heap.h"
#include "tests/unit/gc/child.h"

struct halfway {
  struct tide_heap *heap;
  _Atomic(int) calls;
  _Atomic(bool) inside, go_on;
};

RECLAIM(stay_in_the_hundredth) {
  struct halfway *halfway = context;
  if (++halfway->calls != 100) return;
  halfway->inside = true;
  while (!halfway->go_on)
    sched_yield();
}

static void *tell_all(void *data) {
  const struct halfway *halfway = data;
  SCOPED_MUTATOR m = mutator_of(halfway->heap, TIDE_STACK_CONSERVATIVE, TIDE_STOP_SIGNAL);
  cr_assert_eq(tide_reclaim(m, SIZE_MAX), 0);
  return NULL;
}

/* Returns what went wrong in the child, whose one thread tells of the rest. */
static int rest_in_child(struct world *w, struct halfway *halfway) {
  struct tide_error error;
  halfway->go_on = true;
  if (tide_reclaim(w->m, SIZE_MAX) != 0) return 1;
  if (halfway->calls != 1000) return 2;
  if (tide_collect(w->m) != TIDE_OK || tide_check_heap(w->m, &error) != TIDE_OK) return 3;
  return w->heap->space.used_blocks == 0 ? 0 : 4;
}

/* A thread is gone in the child that was telling when another one forked. Each object is told of
 * once, there and in the parent. */
HeapTest(dead_fork, objects_are_told_of_in_a_child) {
  struct halfway halfway = {.heap = w.heap};
  tide_layout layout =
      tide_layout_on_reclaim(w.heap, w.pair, stay_in_the_hundredth, &halfway, NULL);
  for (int i = 0; i < 1000; i++)
    cr_assert_not_null(tide_alloc(w.m, layout, 32));
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  pthread_t thread = thread_new(tell_all, &halfway);
  while (!halfway.inside)
    sched_yield();
  pid_t child = fork();
  if (child == 0) _exit(rest_in_child(&w, &halfway));
  int status;
  cr_assert_eq(waitpid(child, &status, 0), child);
  halfway.go_on = true;
  pthread_join(thread, NULL);
  cr_assert(WIFEXITED(status), "status %d", status);
  cr_assert_eq(WEXITSTATUS(status), 0, "%d", WEXITSTATUS(status));
  cr_assert_eq(halfway.calls, 1000);
}

RECLAIM(fork_in) {
  fork();
}

static bool forks_in_function(UNUSED const void *argument) {
  struct world w = world_new();
  tide_layout layout = tide_layout_on_reclaim(w.heap, w.pair, fork_in, NULL, NULL);
  tide_alloc(w.m, layout, 32);
  tide_collect(w.m);
  tide_reclaim(w.m, SIZE_MAX);
  return true;
}

Test(dead_fork, functions_must_not_fork) {
  int status = child_of(forks_in_function, NULL);
  cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "status %d", status);
  cr_assert(strstr(told, "fork in a function of tide_layout_on_reclaim"), "%s", told);
}

/* ---- Handlers that the program registered before there was a heap ---- */

static struct world *forking;
static int calls;

static void use_heap(void) {
  void *object = tide_alloc(forking->m, forking->pair, sizeof(struct pair));
  calls += object && tide_collect(forking->m) == TIDE_OK;
}

static bool may_allocate(UNUSED const void *argument) {
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
