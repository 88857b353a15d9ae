/* SPDX-License-Identifier: MIT */
/* A process that sees no /proc: heaps and threads work all the same.  The C library tells the
 * bounds of the first stack from /proc/self/maps, and control groups' limits are read from there.
 * Skipped (77) where neither root nor a user namespace may change the root folder. */
#include <sched.h>
#include <sys/resource.h>

#include "tests/stress/driver.h"

enum { SKIPPED = 77, DEPTH = 20000, FRAME = 128 };

static struct tide_heap *heap;

/* Each frame holds the only reference to an object, and its own room on the stack. */
static __attribute__((noinline)) uint64_t recurse(struct tide_mutator *m, uint64_t depth) {
  volatile char room[FRAME];
  uint64_t *object = tide_alloc(m, TIDE_LAYOUT_LEAF, sizeof *object);
  CHECK(object);
  *object = depth;
  room[0] = 1;
  if (depth == 0) {
    CHECK(tide_collect(m) == TIDE_OK);
    CHECK(tide_check_heap(m, NULL) == TIDE_OK);
    return *object;
  }
  uint64_t below = recurse(m, depth - 1);
  return below + (uint64_t)room[0] * *object;
}

static void *live(void *unused) {
  SCOPED_MUTATOR m = ATTACH(heap);
  CHECK(recurse(m, DEPTH) == (uint64_t)DEPTH * (DEPTH + 1) / 2);
  return unused;
}

static void live_without_proc(void) {
  heap = HEAP(.markers = 2);
  live(NULL);
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  CHECK(pthread_attr_setstacksize(&attributes, (size_t)64 << 20) == 0);
  CHECK(pthread_create(&thread, &attributes, live, NULL) == 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  CHECK(tide_heap_destroy(heap) == TIDE_OK);
}

static bool hide_proc(const char *folder) {
  if (chroot(folder) != 0 && (unshare(CLONE_NEWUSER) != 0 || chroot(folder) != 0)) return false;
  return chdir("/") == 0 && access("/proc/self", F_OK) != 0;
}

int main(void) {
  char folder[] = "/tmp/tidemark-no-proc-XXXXXX";
  CHECK(mkdtemp(folder));
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    struct rlimit most = {(rlim_t)64 << 20, (rlim_t)64 << 20};
    setrlimit(RLIMIT_STACK, &most); /* sanitizers' frames are wide */
    if (!hide_proc(folder)) _exit(SKIPPED);
    live_without_proc();
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  CHECK(rmdir(folder) == 0);
  if (WEXITSTATUS(status) == SKIPPED) printf("the root folder may not be changed here: skipped\n");
  return WEXITSTATUS(status);
}
