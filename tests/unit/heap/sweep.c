/* SPDX-License-Identifier: MIT */
/* Runs of free cells, before and after collections. */
#include "tests/unit/heap/common.h"

static struct td_space heap;

/* Fills `blocks` blocks; returns how many objects there are. */
static size_t fill(struct tide_bump *bump, unsigned c, size_t blocks, void ***objects) {
  size_t each = TD_BLOCK_BYTES / td_class_bytes(c), count = each * blocks;
  *objects = calloc(count, sizeof **objects);
  for (size_t i = 0; i < count; i++) {
    (*objects)[i] = heap_alloc(&heap, bump, TIDE_LAYOUT_LEAF, c);
    cr_assert_not_null((*objects)[i]);
    cr_assert(is_zero((*objects)[i], td_class_bytes(c)), "class %u, object %zu", c, i);
    memset((*objects)[i], 0xee, td_class_bytes(c));
  }
  return count;
}

static int by_address(const void *a, const void *b) {
  uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
  return x < y ? -1 : x > y;
}

SpaceTest(sweep, every_class_fills_blocks_without_overlap) {
  for (unsigned c = 1; c < TD_CLASSES; c++) {
    struct tide_bump bump = {0};
    FREED void **objects;
    uint32_t before = heap.used_blocks;
    size_t count = fill(&bump, c, 2, &objects);
    cr_assert_eq(heap.used_blocks - before, 2, "class %u", c);
    qsort(objects, count, sizeof *objects, by_address);
    for (size_t i = 1; i < count; i++)
      cr_assert_geq((char *)objects[i] - (char *)objects[i - 1], (ptrdiff_t)td_class_bytes(c));
    td_space_retire(&heap, &bump);
  }
  heap_check(&heap);
}

/* Of `blocks` blocks, how many have none of every step-th cell? */
static uint32_t empty_of(size_t blocks, size_t each, size_t step) {
  uint32_t empty = 0;
  for (size_t b = 0; b < blocks; b++)
    empty += (b * each + step - 1) / step * step >= (b + 1) * each;
  return empty;
}

SpaceTest(sweep, exactly_the_dead_cells_are_reused) {
  for (unsigned c = 1; c < TD_CLASSES; c++)
    for (size_t step = 2; step <= 5; step += 3) {
      struct tide_bump bump = {0};
      FREED void **objects;
      size_t count = fill(&bump, c, 3, &objects), live = (count + step - 1) / step;
      uint32_t blocks = heap.used_blocks;
      cr_assert_eq(heap_collect(&heap, &bump, objects, count, step), empty_of(3, count / 3, step));
      cr_assert_eq(heap.live_objects, live);
      cr_assert_eq(heap.live_bytes, live * td_class_bytes(c));
      cr_assert_eq(heap.leaf_bytes, heap.live_bytes);
      FREED char *reused = calloc(count, 1);
      for (size_t i = 0; i < count - live; i++) {
        void *object = heap_alloc(&heap, &bump, TIDE_LAYOUT_LEAF, c);
        void **found = bsearch(&object, objects, count, sizeof *objects, by_address);
        cr_assert_not_null(found, "a cell that was none before");
        size_t at = (size_t)(found - objects);
        cr_assert(at % step != 0 && !reused[at], "class %u: cell %zu was taken", c, at);
        reused[at] = 1;
        cr_assert(is_zero(object, td_class_bytes(c)));
      }
      cr_assert_eq(heap.used_blocks, blocks, "the dead cells were enough");
      for (size_t i = 0; i < count; i += step)
        cr_assert_eq(*(unsigned char *)objects[i], 0xee, "the living were not touched");
      cr_assert_not_null(heap_alloc(&heap, &bump, TIDE_LAYOUT_LEAF, c));
      cr_assert_eq(heap.used_blocks, blocks + 1, "and not one more");
      cr_assert_eq(heap_collect(&heap, &bump, NULL, 0, 1), blocks + 1);
    }
}

SpaceTest(sweep, empty_blocks_are_freed_and_full_ones_not_listed) {
  struct tide_bump bump = {0};
  FREED void **objects;
  enum { CLASS = 4 };
  size_t count = fill(&bump, CLASS, 4, &objects), each = count / 4;
  td_space_retire(&heap, &bump);
  td_space_begin_marking(&heap);
  for (size_t i = 0; i < 2 * each; i++) /* two full, the third with one object, the last empty */
    heap_mark(&heap, objects[i]);
  heap_mark(&heap, objects[2 * each + 7]);
  cr_assert_eq(td_space_end_marking(&heap), 1);
  heap_check(&heap);
  cr_assert_eq(heap.used_blocks, 3);
  uint32_t listed = heap.lists[TIDE_LAYOUT_LEAF].unswept[CLASS].first;
  cr_assert_eq(listed, heap_granule(&heap, objects[2 * each]) >> TD_BLOCK_GRANULES_LOG2);
  cr_assert_eq(heap.infos[listed].next, 0, "the full ones are not listed");
  uint64_t walked = 0;
  td_space_each_object(&heap, heap_count, &walked);
  cr_assert_eq(walked, 2 * each + 1);
}

SpaceTest(sweep, what_a_run_did_not_use_is_free_again) {
  struct tide_bump bump = {0};
  void *object = heap_alloc(&heap, &bump, TIDE_LAYOUT_LEAF, 2);
  void *unused = (void *)bump.next;
  cr_assert_eq(td_space_find(&heap, (uintptr_t)unused, TD_FROM_HEAP), (uintptr_t)unused, "[run]");
  td_space_retire(&heap, &bump);
  cr_assert_eq(bump.next, 0);
  cr_assert_eq(bump.limit, 0);
  cr_assert_eq(td_space_find(&heap, (uintptr_t)unused, TD_FROM_HEAP), 0);
  cr_assert_eq(td_space_find(&heap, (uintptr_t)object, TD_FROM_HEAP), (uintptr_t)object);
  uint64_t walked = 0;
  td_space_each_object(&heap, heap_count, &walked);
  cr_assert_eq(walked, 1);
}

/* Some objects live through all epochs, others come and go; stale bytes of any epoch must not be
 * taken for objects when epochs come round. */
SpaceTest(sweep, epochs_come_round) {
  enum { OLD = 500, CLASS = 5, ROUNDS = 3 * (TD_EPOCH_LAST - TD_EPOCH_FIRST + 2) };
  struct tide_bump bump = {0};
  void *old[2 * OLD];
  for (size_t i = 0; i < 2 * OLD; i++)
    old[i] = heap_alloc(&heap, &bump, TIDE_LAYOUT_LEAF, CLASS);
  uint64_t *number = (uint64_t *)heap_large(&heap, TIDE_LAYOUT_LEAF, 100000);
  unsigned restarts = 0;
  for (unsigned round = 0; round < ROUNDS; round++) {
    uint8_t before = heap.epoch;
    td_space_retire(&heap, &bump);
    td_space_begin_marking(&heap);
    restarts += heap.epoch < before;
    for (size_t i = 0; i < 2 * OLD; i += 2)
      heap_mark(&heap, old[i]);
    heap_mark(&heap, number);
    td_space_end_marking(&heap);
    heap_check(&heap);
    cr_assert_eq(heap.live_objects, OLD + 1, "round %u", round);
    uint64_t walked = 0;
    td_space_each_object(&heap, heap_count, &walked);
    cr_assert_eq(walked, OLD + 1, "round %u", round);
    for (size_t i = 0; i < 2 * OLD; i += 2)
      *(uint64_t *)old[i] = round;
    *number = round;
    for (size_t i = 0; i < round % 7 * 100; i++) {
      char *young = (char *)heap_alloc(&heap, &bump, TIDE_LAYOUT_LEAF, CLASS);
      cr_assert(is_zero(young, td_class_bytes(CLASS)), "round %u", round);
      memset(young, 0x77, td_class_bytes(CLASS));
    }
    for (size_t i = 0; i < 2 * OLD; i += 2)
      cr_assert_eq(*(uint64_t *)old[i], round);
  }
  cr_assert_geq(restarts, 2);
}

/* In the stress mode every allocation is a run of its own. */
SpaceTest(sweep, runs_of_one_cell) {
  heap.stress = true;
  struct tide_bump bump = {0};
  for (unsigned c = 1; c < TD_CLASSES; c++) {
    enum td_room room;
    cr_assert_eq(td_space_refill(&heap, &bump, TIDE_LAYOUT_LEAF, td_class_bytes(c), &room),
                 td_class_bytes(c));
    td_space_retire(&heap, &bump);
  }
}
