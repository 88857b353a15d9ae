/* SPDX-License-Identifier: MIT */
/* Three mutators with 2 MiB alive, in objects of 64 sizes, find room under a limit of 8 MiB: there
 * are more pairs of mutator and size than blocks, and each mutator keeps a block of a size. No cell
 * is handed out twice. Nor is one under 4 MiB, where there is no room for all, to mutators that a
 * signal stops in the middle of inlined code. */
#include "tests/stress/driver.h"

#define MUTATORS 3u
#define SLOTS 1325u /* of 528 bytes on average, for each mutator */
#define SIZES 64u
#define MIB ((size_t)1 << 20)

static struct tide_heap *heap;
static uint64_t turns;
static enum tide_stop stop;

static void *mutate(void *seed) {
  SCOPED_MUTATOR m = ATTACH(heap, .stop = stop);
  static _Thread_local void *slots[SLOTS];
  static _Thread_local uint64_t stamps[SLOTS];
  CHECK(tide_root_add_range(heap, slots, SLOTS) == TIDE_OK);
  uint32_t random = (uint32_t)(uintptr_t)seed;
  uint64_t refused = 0;
  for (uint64_t i = 0; i < turns; i++) {
    size_t bytes = 16 + random_next(&random) % SIZES * 16;
    size_t alignment = i % 4 ? 16 : 64;
    void *object = alignment == 16 ? tide_alloc(m, TIDE_LAYOUT_LEAF, bytes)
                                   : tide_alloc_aligned(m, TIDE_LAYOUT_LEAF, bytes, alignment);
    if (!object) {
      refused++;
      continue;
    }
    CHECK((uintptr_t)object % alignment == 0 && tide_object_bytes(heap, object) >= bytes);
    const size_t slot = random_next(&random) % SLOTS;
    CHECK(!slots[slot] || *(uint64_t *)slots[slot] == stamps[slot]);
    slots[slot] = object;
    *(uint64_t *)object = stamps[slot] = (uint64_t)(uintptr_t)seed << 56 | i;
  }
  CHECK(refused <= (stop == TIDE_STOP_SIGNAL ? turns / 2 : 0));
  CHECK(tide_root_remove_range(heap, slots) == TIDE_OK);
  return NULL;
}

static void run(size_t max_bytes, bool barrier, bool concurrent, enum tide_stop stopped_by) {
  stop = stopped_by;
  heap = HEAP(.heap_max_bytes = max_bytes, .write_barrier = barrier, .concurrent = concurrent);
  const struct crew crew = crew_new(mutate, MUTATORS);
  crew_end(NULL, &crew);
  CHECK(tide_heap_destroy(heap) == TIDE_OK);
}

int main(int count, char **arguments) {
  turns = argument(count, arguments, 1, 100000);
  run(8 * MIB, false, false, TIDE_STOP_POLL);
  run(8 * MIB, true, false, TIDE_STOP_POLL);
  run(8 * MIB, true, true, TIDE_STOP_POLL);
  run(4 * MIB, false, false, TIDE_STOP_SIGNAL);
  return 0;
}
