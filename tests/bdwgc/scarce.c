/* SPDX-License-Identifier: MIT */
/* Programs with little address space, little memory of their own, or all of it locked. Parts of
 * bdwgc_semantics that begin before GC_INIT: what is tried runs in children. */
#include "tests/bdwgc/semantics.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define MIB ((size_t)1 << 20)

static void limit_to(int what, size_t bytes) {
  struct rlimit limit = {bytes, bytes};
  CHECK(setrlimit(what, &limit) == 0);
}

/* Returns whether all was there. Memory that is not there is refused. */
static bool allocate(void) {
  char **list = NULL;
  for (int i = 0; i < 100000; i++) {
    char **one = GC_malloc(40);
    if (!one) return false;
    if (i % 100) continue;
    *one = (char *)list;
    list = one;
  }
  GC_gcollect();
  return list != NULL;
}
static void *work(void *unused) {
  (void)allocate();
  return unused;
}

/* The main thread and as many more. Returns how many these were, -1 if the main one lacked memory.
 */
static int run_threads(int more) {
  pthread_t thread[8];
  int made = 0;
  GC_INIT();
  for (int i = 0; i < more; i++) {
    int error = GC_pthread_create(&thread[made], NULL, work, NULL);
    CHECK(error == 0 || error == EAGAIN);
    made += error == 0;
  }
  bool all = allocate();
  finish_all(thread, made);
  return all ? made : -1;
}

static void in_child(void (*run)(size_t), size_t limit) {
  int status;
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    run(limit);
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child);
  if (status != 0) fprintf(stderr, "limit of %zu bytes: status %#x\n", limit, (unsigned)status);
  CHECK(status == 0);
}

static void in_little_space(size_t limit) {
  GC_set_warn_proc(GC_ignore_warn_proc);
  limit_to(RLIMIT_AS, limit);
  int made = run_threads(3);
  CHECK(made == 3 || (made >= 0 && limit < 128 * MIB));
}
PART(scarce_space, .early = true) {
  for (size_t limit = 64 * MIB; limit <= 320 * MIB; limit += 4 * MIB + 4096)
    in_child(in_little_space, limit);
}

/* Most of the space can hold objects. */
static void fill_space(size_t limit) {
  size_t bytes = 0;
  char **list = NULL;
  GC_set_warn_proc(GC_ignore_warn_proc);
  limit_to(RLIMIT_AS, limit);
  GC_INIT();
  for (char **one; (one = GC_malloc(10000)) != NULL; list = one, bytes += 10000)
    *one = (char *)list;
  CHECK(list && bytes > limit / 8 * 5);
}
PART(scarce_filled, .early = true) {
  in_child(fill_space, 256 * MIB);
  in_child(fill_space, 1024 * MIB);
}

/* What the process may write and shares with nobody: strict accounting counts that, too. */
static void with_little_data(size_t limit) {
  GC_set_warn_proc(GC_ignore_warn_proc);
  limit_to(RLIMIT_DATA, limit);
  int made = run_threads(3);
  CHECK(made == 3 || limit < 40 * MIB);
}
PART(scarce_data, .early = true) {
  for (size_t limit = 8 * MIB; limit <= 128 * MIB; limit += 4 * MIB + 4096)
    in_child(with_little_data, limit);
}

/* A thread has a stack, and cannot be registered. */
static void refuse_threads(size_t limit) {
  pthread_attr_t attributes;
  pthread_t thread;
  GC_INIT();
  CHECK(allocate());
  CHECK(pthread_attr_init(&attributes) == 0);
  CHECK(pthread_attr_setstacksize(&attributes, 64 << 10) == 0);
  limit_to(RLIMIT_AS, limit);
  for (int detached = 0; detached < 2; detached++) {
    CHECK(pthread_attr_setdetachstate(&attributes, detached) == 0);
    for (int i = 0; i < 20; i++) {
      int error = GC_pthread_create(&thread, &attributes, nothing, NULL);
      CHECK(error == EAGAIN || (error == 0 && !getenv("TD_OURS")));
      if (!error && !detached) finish(thread);
    }
  }
  CHECK(allocate());
}
PART(scarce_threads_refused, .early = true) {
  in_child(refuse_threads, MIB); /* less than there is already: not a page more */
}

/* ---- Locked memory ---- */

static size_t resident_bytes(void) {
  struct rusage usage;
  CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
  return (size_t)usage.ru_maxrss << 10;
}
#define LIVE_BYTES (16 * MIB)
static void fill(void) {
  char **list = NULL;
  for (size_t i = 0; i < LIVE_BYTES / 64; i++) {
    char **one = GC_malloc(63);
    *one = (char *)list;
    list = one;
  }
  GC_gcollect();
}
static void lock_first(size_t most) {
  CHECK(mlockall(MCL_CURRENT | MCL_FUTURE) == 0);
  CHECK(run_threads(2) == 2);
  fill();
  CHECK(resident_bytes() < most);
}
static void lock_later(size_t most) {
  GC_INIT();
  CHECK(mlockall(MCL_CURRENT | MCL_FUTURE) == 0);
  CHECK(run_threads(2) == 2);
  fill();
  CHECK(resident_bytes() < most);
}
/* A user who may lock little. */
static void lock_little(size_t limit) {
  if (geteuid() == 0) CHECK(setgid(65534) == 0 && setuid(65534) == 0);
  if (mlockall(MCL_FUTURE) != 0) return;
  GC_INIT();
  CHECK(allocate());
  CHECK(resident_bytes() < limit);
}
PART(scarce_locked, .early = true) {
  if (geteuid() == 0) {
    /* Two stacks of 8 MiB, the program, the objects and what may be allocated until a collection.
     */
    in_child(lock_first, 96 * MIB);
    in_child(lock_later, 96 * MIB);
  }
  limit_to(RLIMIT_MEMLOCK, 8 * MIB);
  in_child(lock_little, 32 * MIB);
}

/* What was there before is not told if there is no memory for a new finalizer. */
static int refused;
static void *refuse(size_t bytes) {
  refused++;
  return NULL;
}
static void finalize(void *object, void *data) {}
static void register_until_refused(size_t limit) {
  enum { MOST = 500000 };
  GC_set_warn_proc(GC_ignore_warn_proc);
  GC_INIT();
  void **objects = GC_malloc(MOST * sizeof *objects);
  for (int i = 0; i < MOST; i++)
    objects[i] = GC_malloc_atomic(1);
  GC_set_oom_fn(refuse);
  limit_to(RLIMIT_AS, limit);
  for (int i = 0; i < MOST && !refused; i++) {
    GC_finalization_proc before = finalize;
    void *data = objects;
    GC_register_finalizer(objects[i], finalize, NULL, &before, &data);
    CHECK(refused ? before == finalize && data == objects : !before && !data);
  }
  CHECK(refused);
}
PART(scarce_finalizers, .early = true) {
  in_child(register_until_refused, MIB);
}
