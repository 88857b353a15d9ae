/* SPDX-License-Identifier: MIT */
/* Threads that a signal stops are cancelled in points of cancellation outside of blocking sections,
 * while another thread collects all the time: a stop may have met them there, and no thread may be
 * counted twice. Then a thread that was cancelled destroys a heap with helpers, which is done to
 * its end. Arguments: threads, one after the other in two rows. */
#include "tests/stress/driver.h"

static struct tide_heap *heap;
static atomic_uint busy = 2;

static void *sleep_often(void *unused) {
  struct tide_mutator *m = ATTACH(heap, .stop = TIDE_STOP_SIGNAL);
  for (;;) {
    usleep(100);
    CHECK(tide_alloc(m, TIDE_LAYOUT_LEAF, 16));
  }
  return unused;
}

static void *cancel_often(void *count) {
  for (uint64_t i = *(uint64_t *)count; i > 0; i--) {
    pthread_t thread = thread_new(sleep_often, NULL);
    usleep((unsigned)(i % 7) * 100);
    CHECK(pthread_cancel(thread) == 0 && thread_end(NULL, thread) == PTHREAD_CANCELED);
  }
  atomic_fetch_sub_explicit(&busy, 1, memory_order_relaxed); /* relaxed: joined later */
  return NULL;
}

/* Returns whether the heap was destroyed; a thread that is cancelled inside returns nothing. */
static void *destroy_cancelled(void *gone) {
  struct tide_heap *other =
      HEAP(.heap_max_bytes = 1u << 20, .reserve_bytes = 4u << 20, .markers = 3);
  struct tide_mutator *m = ATTACH(other);
  void **array = new_object(m, TIDE_LAYOUT_REFS, 200000);
  for (unsigned i = 0; i < 20000; i++)
    array[i] = tide_alloc(m, TIDE_LAYOUT_REFS, 16);
  CHECK(tide_collect(m) == TIDE_OK && tide_detach(m) == TIDE_OK);
  CHECK(pthread_cancel(pthread_self()) == 0);
  CHECK(tide_heap_destroy(other) == TIDE_OK);
  *(bool *)gone = true;
  pthread_testcancel();
  return NULL;
}

int main(int count, char **arguments) {
  uint64_t threads = argument(count, arguments, 1, 1000);
  heap = HEAP();
  struct tide_mutator *m = ATTACH(heap, .stop = TIDE_STOP_SIGNAL);
  pthread_t rows[2];
  for (unsigned i = 0; i < 2; i++)
    rows[i] = thread_new(cancel_often, &threads);
  while (atomic_load_explicit(&busy, memory_order_relaxed)) /* relaxed: as above */
    CHECK(tide_collect(m) == TIDE_OK);
  CHECK(tide_detach(m) == TIDE_OK);
  threads_end(NULL, rows, 2);
  bool gone = false;
  CHECK(thread_end(NULL, thread_new(destroy_cancelled, &gone)) == PTHREAD_CANCELED);
  CHECK(gone);
  return tide_heap_destroy(heap) != TIDE_OK;
}
