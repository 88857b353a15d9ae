/* Four threads share a heap. Each attaches itself, allocates, and sleeps in a blocking region,
 * where no collection waits for it. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "tide/stats.h"
#include "tide/tide.h"

enum { THREADS = 4, ROUNDS = 20, BRANCHES = 2000 };

static struct tide_heap *heap;

/* An array of fresh leaves; only this thread's stack knows of it. */
static size_t grow_branch(struct tide_mutator *me) {
  void **branch = tide_alloc_array(me, TIDE_LAYOUT_REFS, BRANCHES, sizeof *branch);
  if (!branch) return 0;
  size_t leaves = 0;
  for (size_t i = 0; i < BRANCHES; i++) {
    branch[i] = tide_alloc(me, TIDE_LAYOUT_LEAF, 24);
    if (branch[i]) leaves++;
  }
  tide_safepoint(me); /* loops that do not allocate should call this now and then */
  return leaves;
}

static void *work(void *result) {
  struct tide_error error;
  struct tide_mutator *me = tide_attach(heap, NULL, &error);
  if (!me) {
    fprintf(stderr, "threads: %s\n", error.text);
    return NULL;
  }
  size_t leaves = 0;
  for (int round = 0; round < ROUNDS; round++) {
    leaves += grow_branch(me);
    tide_blocking_enter(me);
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    tide_blocking_leave(me);
    if (round % 5 == 0) tide_collect(me);
  }
  *(size_t *)result = leaves;
  tide_detach(me);
  return NULL;
}

int main(void) {
  struct tide_error error;
  heap = tide_heap_create(NULL, &error);
  if (!heap) {
    fprintf(stderr, "threads: %s\n", error.text);
    return 1;
  }
  pthread_t threads[THREADS];
  size_t leaves[THREADS] = {0}, total = 0;
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, work, &leaves[i]) != 0) return 1;
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    total += leaves[i];
  }
  struct tide_heap_stats stats;
  tide_heap_stats(heap, &stats);
  printf("%d threads made %zu leaves\n", THREADS, total);
  printf("there were collections: %s\n", stats.collections > 0 ? "yes" : "no");
  return tide_heap_destroy(heap) == TIDE_OK && total == THREADS * ROUNDS * BRANCHES ? 0 : 1;
}
