/* SPDX-License-Identifier: MIT */
/* Fork storms: mutators allocate and collect while threads, attached and not, fork. Each child
 * checks what its parent's thread had built, allocates, collects, forks once more, and exits.
 * Arguments: forks (per forker), allocating workers. */
#include "tests/stress/list.h"

static struct tide_heap *heap;
static tide_layout node_layout;
static _Atomic(bool) finished;

static void *allocate(void *unused) {
  (void)unused;
  SCOPED_MUTATOR m = ATTACH(heap);
  while (!atomic_load_explicit(&finished, memory_order_relaxed))
    list_check(list_build(m, node_layout, 300), 300);
  return NULL;
}

static void check_life(struct tide_mutator *m, const struct node *list) {
  if (list) list_check(list, 500);
  for (int i = 0; i < 3; i++) {
    struct node *mine = list_build(m, node_layout, 2000);
    CHECK(tide_collect(m) == TIDE_OK);
    list_check(mine, 2000);
  }
  if (list) list_check(list, 500);
  struct tide_error error;
  CHECK(tide_check_heap(m, &error) == TIDE_OK);
}

/* In a child: `m` is the mutator of the thread that forked, or NULL. */
static _Noreturn void live_as_child(struct tide_mutator *m, const struct node *list) {
  CHECK(stats_of(heap).mutators == (m ? 1u : 0u));
  if (!m) m = ATTACH(heap);
  check_life(m, list);
  pid_t child = fork();
  CHECK(child >= 0);
  check_life(m, list);
  if (child) expect_child(child);
  _exit(0);
}

/* A C library that keeps a lock while fork's handlers run makes a second thread that forks wait for
 * it. That thread must count as stopped meanwhile. musl does; the GNU library does not since 2.36.
 */
#ifdef __GLIBC__
enum { IN_REGION_EVERY = 2 };
#else
enum { IN_REGION_EVERY = 1 };
#endif

static pid_t fork_attached_once(struct tide_mutator *m, uint64_t turn) {
  if (turn % IN_REGION_EVERY) return fork();
  tide_blocking_enter(m);
  pid_t child = fork();
  tide_blocking_leave(m);
  return child;
}

static void *fork_attached(void *forks) {
  SCOPED_MUTATOR m = ATTACH(heap);
  struct node *list = list_build(m, node_layout, 500);
  for (uint64_t i = 0; i < *(uint64_t *)forks; i++) {
    pid_t child = fork_attached_once(m, i);
    if (child == 0) live_as_child(m, list);
    tide_blocking_enter(m);
    expect_child(child);
    tide_blocking_leave(m);
    list_check(list, 500);
  }
  return NULL;
}

static void *fork_unattached(void *forks) {
  for (uint64_t i = 0; i < *(uint64_t *)forks; i++) {
    pid_t child = fork();
    if (child == 0) live_as_child(NULL, NULL);
    expect_child(child);
  }
  return NULL;
}

int main(int count, char **arguments) {
  uint64_t forks = argument(count, arguments, 1, 15);
  uint64_t workers = argument(count, arguments, 2, 3);
  CHECK(workers <= 64);
  heap = HEAP(.heap_max_bytes = 128u << 20, .heap_initial_bytes = 1u << 20, .markers = 2);
  node_layout = list_layout(heap);
  pthread_t threads[64];
  for (uint64_t i = 0; i < workers; i++)
    threads[i] = thread_new(allocate, NULL);
  const pthread_t forkers[] = {thread_new(fork_attached, &forks),
                               thread_new(fork_unattached, &forks)};
  threads_end(NULL, forkers, 2);
  atomic_store_explicit(&finished, true, memory_order_relaxed);
  threads_end(NULL, threads, workers);
  printf("%" PRIu64 " forks, %" PRIu64 " collections in the parent\n", 2 * forks,
         stats_of(heap).collections);
  CHECK(tide_heap_destroy(heap) == TIDE_OK);
  return 0;
}
