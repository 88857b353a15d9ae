/* SPDX-License-Identifier: MIT */
/* The heap's check finds each fault that is planted, and names the block. */
#include <stdio.h>

#include "tests/unit/heap/common.h"

static struct td_space heap;
static uint32_t small_block, large_block, free_block;

static void open_with_one_of_each(void) {
  heap_open(&heap, 64 * MIB);
  struct tide_bump bump = {0};
  uintptr_t small = (uintptr_t)heap_alloc(&heap, &bump, TIDE_LAYOUT_REFS, 3);
  td_space_retire(&heap, &bump);
  uintptr_t large = (uintptr_t)heap_large(&heap, TIDE_LAYOUT_LEAF, 5 * TD_BLOCK_BYTES);
  small_block = (uint32_t)((small - heap.base) >> TD_BLOCK_LOG2);
  large_block = (uint32_t)((large - heap.base) >> TD_BLOCK_LOG2);
  free_block = large_block + 5;
  cr_assert(td_block_is_free(&heap, free_block));
  heap_check(&heap);
}

static void end(void) {
  td_space_deinit(&heap);
}

TestSuite(check, .init = open_with_one_of_each, .fini = end);

static void expect_fault(uint32_t block, const char *what) {
  struct tide_error error = {.status = TIDE_OK};
  cr_assert_not(td_space_check(&heap, &error), "not found: %s", what);
  cr_assert_eq(error.status, TIDE_ERROR_CHECK);
  char number[32];
  snprintf(number, sizeof number, "block %u:", block);
  cr_assert_not_null(strstr(error.text, number), "%s: %s", what, error.text);
  cr_assert_not(td_space_check(&heap, NULL));
}

/* Plants a value, expects the fault, puts the old one back. */
#define EXPECT_FAULT(field, value, block)                                                          \
  do {                                                                                             \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wconversion\"");             \
    __typeof__((field) + 0) kept_ = (field); /* + 0: there are bit-fields */                       \
    (field) = (__typeof__((field) + 0))(value);                                                    \
    expect_fault(block, #field " = " #value);                                                      \
    (field) = kept_;                                                                               \
    heap_check(&heap);                                                                             \
    _Pragma("GCC diagnostic pop");                                                                 \
  } while (0)

Test(check, faults_of_small_blocks) {
  struct td_block *block = &heap.blocks[small_block];
  struct td_block_info *info = &heap.infos[small_block];
  EXPECT_FAULT(block->layout, 0, small_block);
  EXPECT_FAULT(block->layout, heap.layouts.count, small_block);
  EXPECT_FAULT(block->kind, TD_KIND_LEAF, small_block);
  EXPECT_FAULT(block->cell_granules, 4, small_block);
  EXPECT_FAULT(block->recip, block->recip + 1, small_block);
  EXPECT_FAULT(info->size_class, 4, small_block);
  EXPECT_FAULT(info->cells, info->cells + 1, small_block);
  EXPECT_FAULT(info->state, TD_BLOCK_FREE, small_block);
  EXPECT_FAULT(info->state, TD_BLOCK_TAIL, small_block);
  uint8_t *marks = heap.marks + ((uint64_t)small_block << TD_BLOCK_GRANULES_LOG2);
  EXPECT_FAULT(marks[0], heap.epoch | TD_DEFERRED, small_block);
  EXPECT_FAULT(marks[TD_BLOCK_GRANULES - 1], TD_DEFERRED, small_block);
}

Test(check, faults_of_large_objects) {
  struct td_block_info *info = &heap.infos[large_block];
  EXPECT_FAULT(info->extent_blocks, 0, large_block);
  EXPECT_FAULT(info->extent_blocks, 6, large_block);
  EXPECT_FAULT(info->extent_blocks, heap.block_count, large_block);
  EXPECT_FAULT(info->large_bytes, 5 * TD_BLOCK_BYTES + 1, large_block);
  EXPECT_FAULT(info[2].extent_offset, 3, large_block);
  EXPECT_FAULT(info[4].state, TD_BLOCK_FREE, large_block);
  EXPECT_FAULT(info->state, TD_BLOCK_FREE, large_block);
}

Test(check, faults_of_the_pool) {
  EXPECT_FAULT(heap.infos[free_block].state, TD_BLOCK_SMALL, free_block);
  EXPECT_FAULT(heap.blocks[free_block].kind, TD_KIND_LEAF, free_block);
  EXPECT_FAULT(heap.used_blocks, heap.used_blocks + 1, 0);
  EXPECT_FAULT(heap.slab_committed[small_block / TD_SLAB_BLOCKS], 0, small_block);
  uint64_t *bits = &heap.free_bits[small_block / 64];
  EXPECT_FAULT(*bits, *bits | (uint64_t)1 << (small_block % 64), small_block);
  bits = &heap.free_bits[free_block / 64];
  EXPECT_FAULT(*bits, *bits & ~((uint64_t)1 << (free_block % 64)), free_block);
}

Test(check, a_flag_left_behind) {
  size_t page = (size_t)large_block * TD_BLOCK_PAGES + 3;
  td_flag_set(&heap, page);
  expect_fault(large_block, "a deferred flag");
}
