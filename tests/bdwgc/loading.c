/* SPDX-License-Identifier: MIT */
/* Threads load and unload libraries whose data refers to objects, while others allocate and
 * collect. The arguments are the libraries, one for each thread. Debian's library crashes or loses
 * objects here, so this runs on ours only. */
#include "tests/bdwgc/semantics.h"

#include <dlfcn.h>

#define OBJECTS 200
#define BYTES 64
#define APART_BY 90 /* cells: the objects' references lie on many pages */
#define COLLECTIONS 1500
#define THREADS_MOST 8

static volatile bool over;

static void fill(void **cells) {
  for (int i = 0; i < OBJECTS; i++) {
    cells[i * APART_BY] = GC_malloc_atomic(BYTES);
    memset(cells[i * APART_BY], i % 100 + 1, BYTES);
  }
}
static void check(void **cells) {
  for (int i = 0; i < OBJECTS; i++)
    for (int k = 0; k < BYTES; k++)
      CHECK(((char *)cells[i * APART_BY])[k] == i % 100 + 1);
}

static void *load(void *path) {
  size_t loads = 0;
  for (; !over; loads++) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CHECK(library);
    void **(*cells)(void) = (void **(*)(void))dlsym(library, "small_cells");
    fill(cells());
    for (int i = 0; i < 3000; i++)
      memset(GC_malloc_atomic(BYTES), 0xff, BYTES);
    check(cells());
    CHECK(dlclose(library) == 0);
  }
  return (void *)loads;
}

static void *allocate(void *unused) {
  while (!over) {
    void **list = NULL;
    for (int i = 0; i < 2000; i++) {
      void **link = GC_malloc(48);
      *link = list;
      list = link;
    }
  }
  return unused;
}

int main(int argc, char **argv) {
  pthread_t thread[THREADS_MOST];
  int count = argc - 1;
  CHECK(count > 0 && count < THREADS_MOST);
  GC_INIT();
  for (int i = 0; i < count; i++)
    thread[i] = start(load, argv[i + 1]);
  thread[count] = start(allocate, NULL);
  for (int i = 0; i < COLLECTIONS; i++) {
    GC_gcollect();
    usleep(100);
  }
  over = true;
  size_t loads = 0;
  for (int i = 0; i <= count; i++)
    loads += (size_t)finish(thread[i]);
  CHECK(loads > 0);
  printf("%zu loads\n", loads);
  return 0;
}
