/* SPDX-License-Identifier: MIT */
/* Threads free what they and others allocated, small and large, while collections run. Every object
 * is filled with a number of its own; who loses a cell to somebody else finds out. Half the threads
 * are stopped by a signal. Arguments: rounds, workers. */
#include "tests/stress/driver.h"

enum { SLOTS = 256 };

static struct tide_heap *heap;
static void *shared[SLOTS]; /* a root; exchanged by all threads */
static uint64_t rounds;

struct object {
  size_t bytes;
  uint64_t number;
  unsigned char rest[];
};

static struct object *make(struct tide_mutator *m, uint32_t *seed) {
  uint32_t kind = random_next(seed) % 100;
  size_t bytes = 32 + random_next(seed) % (kind < 90 ? 400 : kind < 98 ? 20000 : 300000);
  struct object *object = tide_alloc(m, TIDE_LAYOUT_LEAF, bytes);
  CHECK(object && object->bytes == 0 && object->number == 0);
  object->bytes = bytes;
  object->number = random_next(seed);
  for (size_t i = sizeof *object; i < bytes; i++) {
    CHECK(((unsigned char *)object)[i] == 0);
    ((unsigned char *)object)[i] = (unsigned char)object->number;
  }
  return object;
}

static void check(const struct object *object) {
  for (size_t i = sizeof *object; i < object->bytes; i++)
    CHECK(((const unsigned char *)object)[i] == (unsigned char)object->number);
}

static void *work(void *number) {
  uint32_t seed = 4711 + (uint32_t)(uintptr_t)number * 77;
  const enum tide_stop stop = (uintptr_t)number % 2 ? TIDE_STOP_SIGNAL : TIDE_STOP_POLL;
  struct tide_mutator *m = ATTACH(heap, .stop = stop);
  struct object *own[SLOTS] = {0};
  for (uint64_t i = 0; i < rounds; i++) {
    uint32_t at = random_next(&seed) % SLOTS;
    if (own[at]) {
      check(own[at]);
      if (random_next(&seed) % 2) CHECK(tide_free(m, own[at]) == TIDE_OK);
    }
    own[at] = make(m, &seed);
    if (random_next(&seed) % 4 == 0) { /* swap with what another thread has left there */
      own[at] = __atomic_exchange_n(&shared[random_next(&seed) % SLOTS], own[at], __ATOMIC_ACQ_REL);
      if (own[at]) check(own[at]);
    }
    if (random_next(&seed) % 2048 == 0) CHECK(tide_collect(m) == TIDE_OK);
    if (i % 4096 == 4095) {
      memset(own, 0, sizeof own);
      CHECK(tide_detach(m) == TIDE_OK);
      m = ATTACH(heap, .stop = stop);
    }
  }
  CHECK(tide_detach(m) == TIDE_OK);
  return NULL;
}

int main(int count, char **arguments) {
  rounds = argument(count, arguments, 1, 40000);
  uint64_t workers = argument(count, arguments, 2, 4);
  heap = HEAP(.heap_max_bytes = 512u << 20, .heap_initial_bytes = 2u << 20, .markers = 2);
  CHECK(tide_root_add_range(heap, shared, SLOTS) == TIDE_OK);
  const struct crew crew = crew_new(work, workers);
  crew_end(NULL, &crew);
  struct tide_mutator *m = ATTACH(heap);
  CHECK(tide_collect(m) == TIDE_OK && tide_check_heap(m, NULL) == TIDE_OK);
  CHECK(tide_count_marked(m) <= SLOTS + 64);
  printf("%" PRIu64 " collections\n", stats_of(heap).collections);
  heap_end(heap, m);
  return 0;
}
