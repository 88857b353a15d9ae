/* SPDX-License-Identifier: MIT */
/* Sorting blocks after collections. */
#include "tests/unit/heap/common.h"

static struct td_space heap;

SpaceTest(sweep, empty_blocks_are_freed_and_full_ones_not_listed) {
  struct tide_bump bump = {0};
  enum { CLASS = 4 };
  const size_t each = TD_BLOCK_BYTES / td_class_bytes(CLASS);
  FREED void **objects = calloc(4 * each, sizeof *objects);
  for (size_t i = 0; i < 4 * each; i++)
    objects[i] = heap_alloc(&heap, &bump, TIDE_LAYOUT_LEAF, CLASS);
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
