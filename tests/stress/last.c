/* SPDX-License-Identifier: MIT */
/* The first thread ends by pthread_exit, and what runs last is a marker: it runs the handlers of
 * exit, and one of them destroys the heap that the marker belongs to. Without a fork, whose
 * children musl 1.2.3 does not let end in this way. */
#include "tests/stress/driver.h"

static struct tide_heap *heap;

static void destroy_at_exit(void) {
  if (tide_heap_destroy(heap) != TIDE_OK) _exit(9);
}

int main(void) {
  heap = HEAP(.markers = 3);
  struct tide_mutator *m = ATTACH(heap);
  CHECK(atexit(destroy_at_exit) == 0);
  CHECK(tide_collect(m) == TIDE_OK);
  pthread_exit(NULL);
}
