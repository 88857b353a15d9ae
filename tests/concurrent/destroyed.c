/* SPDX-License-Identifier: MIT */
/* A heap is destroyed while its collecting thread has a wish, and the process forks. The thread
 * that waits for the other one's end must stand still in its own other heap. */
#include <sys/wait.h>

#include "gc/threads/stop/world.h"
#include "tests/concurrent/held.h"
#include "tests/wrap.h"

static sem_t awake, go;

/* The collecting thread loses its CPU before it has the lock. */
WRAP(void, td_world_lock_next, struct tide_heap *heap) {
  sem_post(&awake);
  sem_wait(&go);
  __real_td_world_lock_next(heap);
}

static void *fork_once(void *unused) {
  usleep(50000);
  pid_t child = fork();
  if (child == 0) _exit(0);
  CHECK(waitpid(child, NULL, 0) == child);
  return unused;
}

static void *let_go(void *unused) {
  usleep(200000);
  sem_post(&go);
  return unused;
}

int main(void) {
  CHECK(sem_init(&awake, 0, 0) == 0 && sem_init(&go, 0, 0) == 0);
  struct tide_heap *heap = heap_of(&OPTIONS(.write_barrier = true, .concurrent = true));
  struct tide_heap *other = heap_of(&OPTIONS(.write_barrier = true));
  struct tide_mutator *m = ATTACH(heap), *still = ATTACH(other);
  CHECK(tide_collect_begin(m) == TIDE_OK);
  sem_wait(&awake);
  CHECK(tide_detach(m) == TIDE_OK);
  pthread_t opener = thread_new(let_go, NULL), forker = thread_new(fork_once, NULL);
  CHECK(tide_heap_destroy(heap) == TIDE_OK);
  thread_end(still, forker);
  thread_end(still, opener);
  heap_end(other, still);
  return 0;
}
