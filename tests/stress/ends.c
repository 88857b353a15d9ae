/* SPDX-License-Identifier: MIT */
/* Helper threads of the collector keep nothing alive: a process whose own threads have all ended
 * ends too, and its exit handlers may destroy the heap; a child of fork has one thread until it
 * collects; helpers that nobody needs are gone after a while and come back when they are needed. */
#include <dirent.h>
#include <sched.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/stress/driver.h"

static struct tide_heap *heap;
static struct tide_mutator *m;

static void open_heap(void) {
  struct tide_options options;
  tide_options_init(&options);
  options.heap_max_bytes = (size_t)64 << 20;
  options.markers = 4;
  CHECK(heap = tide_heap_create(&options, NULL));
  CHECK(m = tide_attach(heap, NULL, NULL));
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

static void expect_end(pid_t child, int wanted) {
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != wanted)
    fprintf(stderr, "the child ended with %#x\n", (unsigned)status);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == wanted);
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
  expect_end(child, 0);
}

static void child_has_one_thread(void) {
  open_heap();
  CHECK(threads() == 1);
  CHECK(tide_collect(m) == TIDE_OK);
  CHECK(threads() == 4);
  pid_t child = fork();
  if (child == 0) {
    if (threads() != 1) _exit(2);
    struct tide_cycle_stats stats;
    if (tide_collect(m) != TIDE_OK) _exit(3);
    tide_cycle_stats(heap, &stats);
    if (stats.available != 4 || threads() != 4) _exit(4);
    _exit(0);
  }
  expect_end(child, 0);
}

static void helpers_come_and_go(void) {
  struct tide_cycle_stats stats;
  CHECK(tide_collect(m) == TIDE_OK);
  while (threads() > 1)
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  CHECK(tide_heap_set_markers(heap, 2, NULL) == TIDE_OK);
  CHECK(tide_collect(m) == TIDE_OK);
  tide_cycle_stats(heap, &stats);
  CHECK(stats.available == 2 && threads() == 2);
  CHECK(tide_heap_set_markers(heap, 4, NULL) == TIDE_OK);
  for (int i = 0; i < 100; i++)
    CHECK(tide_collect(m) == TIDE_OK);
  tide_cycle_stats(heap, &stats);
  CHECK(stats.available == 4 && threads() == 4);
  CHECK(tide_heap_set_markers(heap, 1, NULL) == TIDE_OK);
  CHECK(tide_detach(m) == TIDE_OK && tide_heap_destroy(heap) == TIDE_OK);
  CHECK(threads() == 1);
}

int main(void) {
  main_thread_exits();
  child_has_one_thread();
  helpers_come_and_go();
  return 0;
}
