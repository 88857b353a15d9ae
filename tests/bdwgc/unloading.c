/* SPDX-License-Identifier: MIT */
/* A program that knows nothing of the collector loads it, as a scripting language loads an
 * extension: bdwgc_unloading LIBRARY It closes it again while threads that used it live, and forks.
 */
#include <dlfcn.h>

#include "tests/stress/driver.h"

static void *(*allocate)(size_t);
static void (*collect)(void);
static _Atomic(int) used;
static _Atomic(bool) may_end;

static void *work(void *unused) {
  for (int i = 0; i < 20000; i++)
    CHECK(allocate(100));
  collect();
  used++;
  while (!may_end)
    usleep(1000);
  return unused;
}

static void load_and_close(const char *path, bool threads_end_before) {
  int (*create)(pthread_t *, void *, void *(*)(void *), void *);
  void (*init)(void);
  pthread_t thread[2];
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  CHECK(library);
  *(void **)&init = dlsym(library, "GC_init");
  *(void **)&allocate = dlsym(library, "GC_malloc");
  *(void **)&collect = dlsym(library, "GC_gcollect");
  *(void **)&create = dlsym(library, "GC_pthread_create");
  init();
  used = 0;
  may_end = threads_end_before;
  for (int i = 0; i < 2; i++)
    CHECK(create(&thread[i], NULL, work, NULL) == 0);
  while (used < 2)
    usleep(1000);
  if (!threads_end_before) dlclose(library);
  may_end = true;
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  if (threads_end_before) dlclose(library);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  for (int round = 0; round < 4; round++) {
    load_and_close(argv[1], round % 2);
    pid_t child = fork();
    if (child == 0) _exit(0);
    expect_child(child);
  }
  return 0;
}
