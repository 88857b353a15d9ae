/* SPDX-License-Identifier: MIT */
/* Runs in blocks where live and free cells lie in clusters of random lengths: the searches look at
 * many mark bytes at a time, so what matters is where clusters begin and end. */
#include "tests/random.h"
#include "tests/unit/heap/common.h"

#define ROUNDS 6u

static uint32_t draw(uint32_t *state, uint32_t bound) {
  return random_next(state) % bound;
}

/* Keeps clusters of the objects alive; how many are kept. kept[i] says which. */
static size_t keep_clusters(struct td_space *space, void **objects, bool *kept, size_t count,
                            uint32_t *state) {
  size_t alive = 0;
  bool live = draw(state, 2) != 0;
  for (size_t i = 0; i < count; live = !live) {
    size_t length = 1 + draw(state, draw(state, 4) == 0 ? 200 : 20);
    for (; length > 0 && i < count; length--, i++) {
      kept[i] = live;
      alive += live;
      if (live) heap_mark(space, objects[i]);
      memset(objects[i], 0xa5, td_space_object_bytes(space, (uintptr_t)objects[i]));
    }
  }
  return alive;
}

/* Fills what is free: `count` cells in all, each zero, none of the kept. */
static void refill_and_check(struct td_space *space, struct tide_bump *bump, unsigned size_class,
                             void **objects, const bool *kept, size_t count) {
  size_t bytes = td_class_bytes(size_class);
  for (size_t i = 0; i < count; i++) {
    if (kept[i]) continue;
    objects[i] = heap_alloc(space, bump, TIDE_LAYOUT_LEAF, size_class);
    cr_assert_not_null(objects[i], "class %u: cell %zu of %zu", size_class, i, count);
    cr_assert(is_zero(objects[i], bytes), "class %u: cell %zu not zeroed", size_class, i);
    memset(objects[i], 0x5a, bytes);
  }
  cr_assert_null(heap_alloc(space, bump, TIDE_LAYOUT_LEAF, size_class), "class %u", size_class);
  for (size_t i = 0; i < count; i++) {
    unsigned char wanted = kept[i] ? 0xa5 : 0x5a;
    const unsigned char *cell = objects[i];
    for (size_t b = 0; b < bytes; b++)
      cr_assert_eq(cell[b], wanted, "class %u: cell %zu handed out twice", size_class, i);
  }
}

static void clusters_of_class(unsigned size_class) {
  struct td_space heap;
  struct tide_bump bump = {0};
  heap_open(&heap, MIB);
  heap.budget_blocks = 3;
  size_t count = 3 * (TD_BLOCK_BYTES / td_class_bytes(size_class));
  FREED void **objects = calloc(count, sizeof *objects);
  FREED bool *kept = calloc(count, sizeof *kept);
  cr_assert(objects && kept);
  uint32_t state = 2463534242u + size_class;
  refill_and_check(&heap, &bump, size_class, objects, kept, count);
  for (unsigned round = 0; round < ROUNDS; round++) {
    td_space_retire(&heap, &bump);
    td_space_begin_marking(&heap);
    size_t alive = keep_clusters(&heap, objects, kept, count, &state);
    td_space_end_marking(&heap);
    heap_check(&heap);
    cr_assert_eq(heap.live_objects, alive);
    cr_assert_eq(heap.live_bytes, alive * td_class_bytes(size_class));
    cr_assert_eq(heap.leaf_bytes, heap.live_bytes);
    refill_and_check(&heap, &bump, size_class, objects, kept, count);
  }
  td_space_deinit(&heap);
}

Test(runs, clusters_of_every_class) {
  for (unsigned size_class = 1; size_class < TD_CLASSES; size_class++)
    clusters_of_class(size_class);
}
