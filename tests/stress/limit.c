/* SPDX-License-Identifier: MIT */
/* Three mutators with 2 MiB alive, in objects of 64 sizes, find room under a limit of 8 MiB: there
 * are more pairs of mutator and size than blocks, and each mutator keeps a block of a size. */
#include "tests/stress/driver.h"

#define MUTATORS 3u
#define SLOTS 1325u /* of 528 bytes on average, for each mutator */
#define SIZES 64u

static struct tide_heap *heap;
static uint64_t turns;

static void *mutate(void *seed) {
  struct tide_mutator *m = tide_attach(heap, NULL, NULL);
  CHECK(m);
  static _Thread_local void *slots[SLOTS];
  CHECK(tide_root_add_range(heap, slots, SLOTS) == TIDE_OK);
  uint32_t random = (uint32_t)(uintptr_t)seed;
  for (uint64_t i = 0; i < turns; i++) {
    size_t bytes = 16 + random_next(&random) % SIZES * 16;
    size_t alignment = i % 4 ? 16 : 64;
    void *object = tide_alloc_aligned(m, TIDE_LAYOUT_LEAF, bytes, alignment);
    CHECK(object && (uintptr_t)object % alignment == 0 && tide_object_bytes(heap, object) >= bytes);
    slots[random_next(&random) % SLOTS] = object;
  }
  CHECK(tide_root_remove_range(heap, slots) == TIDE_OK);
  CHECK(tide_detach(m) == TIDE_OK);
  return NULL;
}

static void run(bool barrier, bool concurrent) {
  struct tide_options options;
  tide_options_init(&options);
  options.heap_max_bytes = (size_t)8 << 20;
  options.write_barrier = barrier;
  options.concurrent = concurrent;
  heap = tide_heap_create(&options, NULL);
  CHECK(heap);
  pthread_t threads[MUTATORS];
  for (uintptr_t i = 0; i < MUTATORS; i++)
    CHECK(pthread_create(&threads[i], NULL, mutate, (void *)(i + 1)) == 0);
  for (unsigned i = 0; i < MUTATORS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(tide_heap_destroy(heap) == TIDE_OK);
}

int main(int count, char **arguments) {
  turns = argument(count, arguments, 1, 100000);
  run(false, false);
  run(true, false);
  run(true, true);
  return 0;
}
