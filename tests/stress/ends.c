/* SPDX-License-Identifier: MIT */
/* Helper threads of the collector keep nothing alive: a process whose own threads have all ended
 * ends too, and its exit handlers may destroy the heap; a child of fork has one thread until it
 * collects; helpers that nobody needs are gone after a while and come back when they are needed. */
#include <dirent.h>
#include <sched.h>

#include "tests/stress/driver.h"

static struct tide_heap *heap;
static struct tide_mutator *m;

static void open_heap(void) {
  heap = HEAP(.heap_max_bytes = (size_t)64 << 20, .markers = 4);
  m = ATTACH(heap);
}

static int threads(void) {
  DIR *folder = opendir("/proc/self/task");
  int count = -2; /* "." and ".." */
  CHECK(folder);
  while (readdir(folder))
    count++;
  closedir(folder);
  return count;
}

static void destroy_at_exit(void) {
  if (tide_heap_destroy(heap) != TIDE_OK) _exit(9);
  if (write(STDOUT_FILENO, "", 0) != 0) _exit(8);
}

static void main_thread_exits(void) {
  pid_t child = fork();
  if (child == 0) {
    alarm(120); /* nothing handles it: the test fails instead of hanging */
    open_heap();
    atexit(destroy_at_exit);
    CHECK(tide_collect(m) == TIDE_OK);
    CHECK(threads() == 4);
    pthread_exit(NULL); /* attached: it is detached by its end */
  }
  expect_child(child);
}

static void child_has_one_thread(void) {
  open_heap();
  CHECK(threads() == 1);
  CHECK(tide_collect(m) == TIDE_OK);
  CHECK(threads() == 4);
  pid_t child = fork();
  if (child == 0) {
    CHECK(threads() == 1);
    CHECK(tide_collect(m) == TIDE_OK);
    CHECK(cycle_of(heap).available == 4 && threads() == 4);
    _exit(0);
  }
  expect_child(child);
}

static void helpers_come_and_go(void) {
  CHECK(tide_collect(m) == TIDE_OK);
  while (threads() > 1)
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  CHECK(tide_heap_set_markers(heap, 2, NULL) == TIDE_OK);
  CHECK(tide_collect(m) == TIDE_OK);
  CHECK(cycle_of(heap).available == 2 && threads() == 2);
  CHECK(tide_heap_set_markers(heap, 4, NULL) == TIDE_OK);
  for (int i = 0; i < 100; i++)
    CHECK(tide_collect(m) == TIDE_OK);
  CHECK(cycle_of(heap).available == 4 && threads() == 4);
  CHECK(tide_heap_set_markers(heap, 1, NULL) == TIDE_OK);
  heap_end(heap, m);
  CHECK(threads() == 1);
}

/* The first thread ends, and what runs last is a marker. Without a fork, whose children musl 1.2.3
 * does not let end in this way. */
static void end_last(void) {
  open_heap();
  atexit(destroy_at_exit);
  CHECK(tide_collect(m) == TIDE_OK);
  pthread_exit(NULL);
}

int main(int count, char **arguments) {
  if (count > 1 && strcmp(arguments[1], "last") == 0) end_last();
  main_thread_exits();
  child_has_one_thread();
  helpers_come_and_go();
  return 0;
}
