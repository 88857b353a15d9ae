/* SPDX-License-Identifier: MIT */
/* How long it takes to stop the world: mutators that poll, allocate, or sit in blocking sections;
 * one thread collects a nearly empty heap again and again and prints percentiles of stop_ns.
 * Checked are only facts: every collection happens, nothing is lost, nobody is left sleeping.
 * Arguments: collections, mutators. */
#include "tests/stress/driver.h"

static struct tide_heap *heap;
static _Atomic(bool) finished;
static _Atomic(uint64_t) laps;

static void *mutate(void *kind_pointer) {
  uintptr_t kind = (uintptr_t)kind_pointer;
  SCOPED_MUTATOR m = ATTACH(heap);
  uint64_t mine = 0;
  while (!atomic_load_explicit(&finished, memory_order_relaxed)) {
    switch (kind % 4) {
    case 0:
    case 1:
      for (int i = 0; i < 1000; i++)
        tide_safepoint(m);
      break;
    case 2:
      for (int i = 0; i < 100; i++)
        CHECK(tide_alloc(m, TIDE_LAYOUT_LEAF, 48));
      break;
    default:
      tide_blocking_enter(m);
      usleep(100);
      tide_blocking_leave(m);
    }
    mine++;
  }
  atomic_fetch_add_explicit(&laps, mine, memory_order_relaxed);
  return NULL;
}

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

int main(int count, char **arguments) {
  uint64_t collections = argument(count, arguments, 1, 500);
  uint64_t mutators = argument(count, arguments, 2, 8);
  CHECK(collections > 0 && mutators <= 1024);
  heap = HEAP();
  struct tide_mutator *m = ATTACH(heap);
  pthread_t *threads = calloc(mutators + 1, sizeof *threads);
  uint64_t *stops = calloc(collections, sizeof *stops);
  for (uint64_t i = 0; i < mutators; i++)
    threads[i] = thread_new(mutate, (void *)(uintptr_t)i);
  for (uint64_t i = 0; i < collections; i++) {
    tide_blocking_enter(m);
    usleep(200);
    tide_blocking_leave(m);
    CHECK(tide_collect(m) == TIDE_OK);
    stops[i] = cycle_of(heap).stop_ns;
  }
  atomic_store_explicit(&finished, true, memory_order_relaxed);
  threads_end(m, threads, mutators);
  CHECK(mutators == 0 || atomic_load_explicit(&laps, memory_order_relaxed) > 0);
  CHECK(cycle_of(heap).number >= collections);
  qsort(stops, collections, sizeof *stops, compare);
  printf("%" PRIu64 " mutators, stop: median %" PRIu64 " ns, p90 %" PRIu64 " ns, p99 %" PRIu64
         " ns, max %" PRIu64 " ns; %" PRIu64 " laps\n",
         mutators, stops[collections / 2], stops[collections * 9 / 10],
         stops[collections * 99 / 100], stops[collections - 1],
         atomic_load_explicit(&laps, memory_order_relaxed));
  heap_end(heap, m);
  free(threads);
  free(stops);
  return 0;
}
