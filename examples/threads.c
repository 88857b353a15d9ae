/* SPDX-License-Identifier: MIT */
/* Four threads share a heap. Each attaches itself, allocates, and sleeps in a blocking section,
 * where no collection waits for it. */
#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tide/stats.h"
#include "tide/tide.h"

enum { THREADS = 4, ROUNDS = 20, BRANCHES = 2000 };

static struct tide_heap *heap;

struct worker {
  pthread_t thread;
  size_t leaves;
  struct tide_error error; /* TIDE_OK if nothing failed; the main thread reports it */
};

/* Makes an array of fresh leaves that only this thread's stack knows of. */
static bool grow_branch(struct tide_mutator *me, struct worker *worker) {
  void **branch = tide_alloc_array(me, TIDE_LAYOUT_REFS, BRANCHES, sizeof *branch);
  if (!branch) return false;
  for (size_t i = 0; i < BRANCHES; i++) {
    void *leaf = tide_alloc(me, TIDE_LAYOUT_LEAF, 24);
    if (!leaf) return false;
    tide_write(me, branch, &branch[i], leaf); /* a collection may have seen the array */
    worker->leaves++;
  }
  tide_safepoint(me); /* loops that do not allocate should call this now and then */
  return true;
}

static void *work(void *context) {
  struct worker *worker = context;
  struct tide_mutator *me = tide_attach(heap, NULL, &worker->error);
  if (!me) return NULL;
  for (int round = 0; round < ROUNDS; round++) {
    if (!grow_branch(me, worker)) {
      worker->error.status = tide_alloc_status(me);
      snprintf(worker->error.text, sizeof worker->error.text, "no room for a branch");
      break;
    }
    tide_blocking_enter(me);
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    tide_blocking_leave(me);
    if (round % 5 == 0) tide_collect(me);
  }
  tide_detach(me);
  return NULL;
}

int main(void) {
  struct tide_error error;
  heap = tide_heap_create(NULL, &error);
  if (!heap) errx(1, "cannot create a heap: %s", error.text);
  struct worker workers[THREADS] = {0};
  for (int i = 0; i < THREADS; i++) {
    int failed = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    if (failed) errx(1, "cannot start a thread: %s", strerror(failed));
  }
  size_t total = 0;
  for (int i = 0; i < THREADS; i++) {
    pthread_join(workers[i].thread, NULL);
    total += workers[i].leaves;
  }
  for (int i = 0; i < THREADS; i++)
    if (workers[i].error.status != TIDE_OK) errx(1, "thread %d: %s", i, workers[i].error.text);
  struct tide_heap_stats stats;
  tide_heap_stats(heap, &stats);
  printf("%d threads made %zu leaves\n", THREADS, total);
  printf("there were collections: %s\n", stats.collections > 0 ? "yes" : "no");
  tide_heap_destroy(heap);
  if (fflush(stdout) != 0) err(1, "cannot write the result");
  return total == THREADS * ROUNDS * BRANCHES && stats.collections > 0 ? 0 : 1;
}
