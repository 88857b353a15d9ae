/* SPDX-License-Identifier: MIT */
/* A fork-join scheduler over the queue of tide/bwos.h. Each worker has a queue. Who waits for a
 * task that was stolen does whatever else there is to do. */
#include <tide/bwos.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

struct task {
  int n;
  long result;
  atomic_bool done;
};

TIDE_BWOS_DEFINE(tasks, struct task *);

#define WORKERS 4
#define BLOCKS 64
#define ENTRIES 64

static struct worker {
  struct tasks queue;
  struct tasks_owner owner; /* the queue ends at a cache line: thieves do not touch this one */
  unsigned number;
  _Alignas(64) char storage[BLOCKS * (64 + ENTRIES * sizeof(struct task *))];
} workers[WORKERS];

static atomic_bool over;

static long fib(struct worker *me, int n);

static void run(struct worker *me, struct task *t) {
  t->result = fib(me, t->n);
  atomic_store_explicit(&t->done, true, memory_order_release);
}

static void help(struct worker *me) {
  struct task *stolen;
  for (unsigned i = 1; i < WORKERS; i++) {
    if (tasks_steal(&workers[(me->number + i) % WORKERS].queue, &stolen, 1) > 0) {
      run(me, stolen);
      return;
    }
  }
  sched_yield();
}

static long fib(struct worker *me, int n) {
  if (n < 2) return n;
  struct task child = {.n = n - 1}, *mine;
  if (!tasks_put(&me->queue, &me->owner, &child)) run(me, &child); /* full: at once */
  long other = fib(me, n - 2);
  while (!atomic_load_explicit(&child.done, memory_order_acquire)) {
    if (tasks_get(&me->queue, &me->owner, &mine))
      run(me, mine);
    else
      help(me);
  }
  return child.result + other;
}

static void *work(void *me) {
  while (!atomic_load_explicit(&over, memory_order_relaxed))
    help(me);
  return NULL;
}

int main(void) {
  pthread_t threads[WORKERS];
  for (unsigned i = 0; i < WORKERS; i++) {
    struct worker *w = &workers[i];
    w->number = i;
    const char *wrong =
        tasks_make(&w->queue, &w->owner, w->storage, sizeof w->storage, BLOCKS, ENTRIES);
    if (wrong) return fprintf(stderr, "%s\n", wrong), 1;
  }
  for (unsigned i = 1; i < WORKERS; i++)
    if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0) return 1;
  printf("%ld\n", fib(&workers[0], 25));
  atomic_store_explicit(&over, true, memory_order_relaxed);
  for (unsigned i = 1; i < WORKERS; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
