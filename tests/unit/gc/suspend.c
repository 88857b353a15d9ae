/* SPDX-License-Identifier: MIT */
/* Threads that stand still because somebody asked for it. */
#include "tests/unit/gc/common.h"
#include "tide/inspect.h"
#include "tide/dropin.h"

struct worker {
  struct tide_heap *heap, *elsewhere;
  enum tide_stop stop;
  bool collects;
  struct tide_mutator *_Atomic mutator;
  _Atomic(uint64_t) steps;
  _Atomic(bool) over;
  pthread_t thread;
};

static void *work(void *data) {
  struct worker *worker = data;
  SCOPED_MUTATOR m = mutator_of(worker->heap, TIDE_STACK_CONSERVATIVE, worker->stop);
  SCOPED_MUTATOR there = worker->elsewhere ? tide_attach(worker->elsewhere, NULL, NULL) : NULL;
  cr_assert(m);
  worker->mutator = m;
  while (!worker->over) {
    tide_safepoint(m);
    if (worker->collects) cr_assert_eq(tide_collect(there ? there : m), TIDE_OK);
    worker->steps++;
  }
  return NULL;
}

static void wait_for_step(struct worker *worker) {
  for (uint64_t before = worker->steps; worker->steps == before;)
    usleep(100);
}

static void start(struct world *w, struct worker *worker) {
  worker->heap = w->heap;
  worker->thread = thread_new(work, worker);
  while (!worker->mutator)
    usleep(100);
}

static void finish(struct world *w, struct worker *worker) {
  worker->over = true;
  thread_end(w->m, worker->thread);
}

static void suspend_again_and_again(struct worker *worker) {
  SCOPED_WORLD w = world_new();
  start(&w, worker);
  for (int round = 0; round < 50; round++) {
    cr_assert_eq(tide_mutator_suspend(w.m, worker->mutator), TIDE_OK);
    uint64_t before = worker->steps;
    cr_assert_eq(tide_mutator_suspend(w.m, worker->mutator), TIDE_OK, "there is no count");
    live_after_collect(&w); /* each stop finds it standing still */
    live_after_collect(&w);
    cr_assert_eq(worker->steps, before);
    cr_assert_eq(tide_mutator_resume(w.m, worker->mutator), TIDE_OK);
    cr_assert_eq(tide_mutator_resume(w.m, worker->mutator), TIDE_OK);
    tide_blocking_enter(w.m);
    wait_for_step(worker);
    tide_blocking_leave(w.m);
  }
  finish(&w, worker);
}

/* One that collects waits for the world's lock most of the time, and must not get it. */
Test(suspend, threads_of_each_kind) {
  suspend_again_and_again(&(struct worker){.stop = TIDE_STOP_POLL});
  suspend_again_and_again(&(struct worker){.stop = TIDE_STOP_SIGNAL});
  suspend_again_and_again(&(struct worker){.stop = TIDE_STOP_SIGNAL, .collects = true});
  suspend_again_and_again(&(struct worker){.stop = TIDE_STOP_POLL, .collects = true});
}

/* It sorts blocks there while we are in a blocking section. */
HeapTest(suspend, one_that_collects_elsewhere) {
  tide_blocking_enter(w.m);
  suspend_again_and_again(
      &(struct worker){.stop = TIDE_STOP_POLL, .collects = true, .elsewhere = w.heap});
  tide_blocking_leave(w.m);
}

HeapTest(suspend, what_means_nothing_is_refused) {
  SCOPED_WORLD other = world_new();
  cr_assert_eq(tide_mutator_suspend(NULL, w.m), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_mutator_suspend(w.m, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_mutator_suspend(w.m, w.m), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_mutator_suspend(w.m, other.m), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_mutator_resume(w.m, w.m), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_mutator_resume(w.m, other.m), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_mutator_resume(NULL, NULL), TIDE_ERROR_ARGUMENT);
}

/* ---- A world that stands still for the program ---- */

HeapTest(world_stop, leaves_a_suspended_thread_alone) {
  struct worker worker = {.stop = TIDE_STOP_POLL};
  start(&w, &worker);
  cr_assert_eq(tide_world_stop(w.m), TIDE_OK);
  uint64_t before = worker.steps;
  usleep(1000);
  cr_assert_eq(tide_mutator_suspend(w.m, worker.mutator), TIDE_OK);
  cr_assert_eq(tide_world_resume(w.m), TIDE_OK);
  usleep(1000);
  cr_assert_eq(worker.steps, before);
  cr_assert_eq(tide_mutator_resume(w.m, worker.mutator), TIDE_OK);
  wait_for_step(&worker);
  finish(&w, &worker);
}

VISIT(resume_in_visit) {
  cr_assert_eq(tide_world_resume(context), TIDE_ERROR_STATE);
  return false;
}

HeapTest(world_stop, what_means_nothing_is_refused) {
  SCOPED_WORLD other = world_new();
  cr_assert_eq(tide_world_resume(w.m), TIDE_ERROR_STATE);
  cr_assert_eq(tide_world_stop(w.m), TIDE_ERROR_STATE, "the other heap's mutator is in no section");
  tide_blocking_enter(other.m);
  pair_new(&w, NULL, NULL, 1);
  cr_assert_eq(tide_world_stop(w.m), TIDE_OK);
  cr_assert_eq(tide_heap_walk(w.m, resume_in_visit, w.m), TIDE_OK);
  cr_assert_eq(tide_world_resume(other.m), TIDE_ERROR_STATE);
  cr_assert_eq(tide_world_resume(w.m), TIDE_OK);
  tide_blocking_leave(other.m);
}

Test(world_stop, needs_a_mutator, .signal = TOLD) {
  cr_assert_eq(tide_world_stop(NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_world_resume(NULL), TIDE_ERROR_ARGUMENT);
}

HeapTest(world_stop, allows_no_allocation, .signal = TOLD) {
  cr_assert_eq(tide_world_stop(w.m), TIDE_OK);
  expect_refused(&w, tide_alloc(w.m, w.pair, sizeof(struct pair)), TIDE_ERROR_STATE);
  cr_assert_eq(tide_collect(w.m), TIDE_ERROR_STATE);
  cr_assert_eq(tide_world_resume(w.m), TIDE_OK);
}
