/* SPDX-License-Identifier: MIT */
/* How much stack an allocation takes that collects: docs/embedding.md, section 6, says what to
 * leave. A thread runs on memory that is painted, and what has changed below the function that
 * allocates is counted. */
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "tests/stress/driver.h"

enum { STACK_BYTES = 512 << 10, MOST_BYTES = 14 << 10, SLOTS = 4000, PAINT = 0x55 };

static char stack[STACK_BYTES] __attribute__((aligned(4096)));
static struct tide_heap *heap;

static void finalize(void *object, void *context) {}

/* Old objects that were written to, finalizers, weak references, large objects. */
static void *allocate(void *top) {
  *(char **)top = (char *)__builtin_frame_address(0);
  struct tide_mutator *m = ATTACH(heap);
  void **old = tide_alloc_array(m, TIDE_LAYOUT_REFS, SLOTS, sizeof *old);
  for (int turn = 0; turn < 100; turn++) {
    for (int i = 0; i < SLOTS; i++) {
      void **object = new_object(m, TIDE_LAYOUT_REFS, 32);
      if (turn % 10 == 0)
        tide_write(m, old, &old[i], object);
      else
        tide_write(m, old[i], (void **)old[i], object);
      if (i % 100 == 0) tide_finalizer_add(m, object, finalize, NULL);
      if (i % 100 == 1) tide_weak_new(m, object, TIDE_WEAK_BEFORE);
      if (i % 1000 == 2) tide_alloc(m, TIDE_LAYOUT_LEAF, 100000);
    }
    tide_finalizers_run(m, 10);
    if (turn % 4 == 0) tide_collect_young(m);
    if (turn % 16 == 0) tide_collect(m);
  }
  tide_detach(m);
  return NULL;
}

static void measure(const char *name, bool barrier, bool concurrent) {
  heap = HEAP(.write_barrier = barrier, .concurrent = concurrent, .markers = 2);
  memset(stack, PAINT, sizeof stack);
  pthread_attr_t attributes;
  pthread_t thread;
  char *top = NULL;
  CHECK(pthread_attr_init(&attributes) == 0);
  CHECK(pthread_attr_setstack(&attributes, stack, sizeof stack) == 0);
  CHECK(pthread_create(&thread, &attributes, allocate, &top) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  pthread_attr_destroy(&attributes);
  const char *lowest = stack;
  while (*lowest == PAINT)
    lowest++;
  ptrdiff_t bytes = top - lowest;
  printf("%s: %td bytes\n", name, bytes);
  CHECK(bytes > 0 && bytes <= MOST_BYTES);
  CHECK(tide_heap_destroy(heap) == TIDE_OK);
}

int main(void) {
  measure("full", false, false);
  measure("young", true, false);
  measure("concurrent", true, true);
  return 0;
}
