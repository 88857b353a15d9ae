/* The pool of blocks over jemalloc's slabs. */
#include "tests/unit/heap/common.h"

#include <jemalloc/jemalloc.h>

#include "heap/blocks.h"
#include "heap/create.h"
#include "heap/large.h"
#include "heap/slabs.h"

static struct td_space heap;

static void *large(size_t blocks) {
  return heap_large(&heap, TIDE_LAYOUT_LEAF, blocks * TD_BLOCK_BYTES);
}

static void collect(void **live, size_t count) {
  struct tide_bump none = {0};
  heap_collect(&heap, &none, live, count, 1);
}

static void set_decay(ssize_t milliseconds) {
  cr_assert_eq(mallctl("arenas.dirty_decay_ms", NULL, NULL, &milliseconds, sizeof milliseconds), 0);
}

Test(pool, blocks_of_a_slab_are_shared_by_short_extents) {
  heap_open(&heap, 64 * MIB);
  char *a = large(20), *b = large(12), *c = large(3);
  cr_assert(a && b && c);
  cr_assert_eq(b - a, (ptrdiff_t)(20 * TD_BLOCK_BYTES), "they fill a slab");
  cr_assert_neq((uintptr_t)c / TD_SLAB_BYTES, (uintptr_t)a / TD_SLAB_BYTES);
  cr_assert_eq(heap.committed_slabs, 2);
  memset(a, 1, 20 * TD_BLOCK_BYTES);
  void *live[] = {b, c};
  collect(live, 2);
  cr_assert_eq(large(15), a);
  cr_assert_eq(large(5), a + 15 * TD_BLOCK_BYTES);
  cr_assert(is_zero(a, 20 * TD_BLOCK_BYTES));
  heap_check(&heap);
  td_space_deinit(&heap);
}

Test(pool, a_long_extent_is_a_group_and_goes_as_a_group) {
  set_decay(0);
  heap_open(&heap, 256 * MIB);
  char *extent = large(9 * 32 + 1); /* jemalloc has no size between 9 and 10 slabs */
  cr_assert_not_null(extent);
  cr_assert_eq(heap.committed_slabs, 10);
  char *small = large(5); /* in the rest of it */
  cr_assert_eq(small - extent, (ptrdiff_t)((9 * 32 + 1) * TD_BLOCK_BYTES));
  void *live[] = {small};
  collect(live, 1);
  cr_assert_eq(td_space_trim(&heap, 0), 0, "a part of it is in use");
  uint32_t first;
  cr_assert_eq(td_blocks_take(&heap, heap.budget_blocks, &first), TD_ROOM_OVER_BUDGET);
  collect(NULL, 0);
  cr_assert_eq(td_space_trim(&heap, 9 * TD_SLAB_BYTES), 10 * TD_SLAB_BYTES,
               "no part of it is kept");
  cr_assert_eq(heap.committed_slabs, 0);
  td_slabs_tick(&heap);
  cr_assert_leq(td_slabs_cached_bytes(&heap), 2 * TD_SLAB_BYTES);
  char *again = large(320);
  cr_assert_not_null(again);
  cr_assert(is_zero(again, 320 * TD_BLOCK_BYTES));
  heap_check(&heap);
  td_space_deinit(&heap);
}

Test(pool, the_budget_is_exact) {
  heap_open(&heap, 64 * MIB);
  heap.budget_blocks = 10;
  cr_assert_null(large(11));
  cr_assert_not_null(large(10));
  cr_assert_null(large(1));
  heap.budget_blocks = heap.max_blocks;
  cr_assert_null(large(heap.max_blocks - 9));
  cr_assert_not_null(large(heap.max_blocks - 10));
  cr_assert_eq(heap.used_blocks, heap.max_blocks);
  heap_check(&heap);
  collect(NULL, 0);
  cr_assert_not_null(large(heap.max_blocks), "all of it in one piece");
  td_space_deinit(&heap);
}

/* All that the limit allows fits into the range also when it is taken slab by slab. */
Test(pool, the_range_is_long_enough) {
  heap_open(&heap, 64 * MIB);
  for (uint32_t i = 0; i < heap.max_blocks / 17; i++)
    cr_assert_not_null(large(17), "extent %u: no two of them in one slab", i);
  td_space_deinit(&heap);
}

Test(pool, kept_slabs_come_back_without_being_zero) {
  set_decay(-1);
  heap_open(&heap, 64 * MIB);
  for (int round = 0; round < 4; round++) {
    struct tide_bump bump = {0};
    for (int i = 0; i < 30000; i++) {
      void *object = heap_alloc(&heap, &bump, TIDE_LAYOUT_LEAF, 20);
      cr_assert(is_zero(object, 320), "round %d, object %d", round, i);
      memset(object, 0x33, 320);
    }
    heap_collect(&heap, &bump, NULL, 0, 1);
    size_t held = heap.committed_slabs * TD_SLAB_BYTES, cached = td_slabs_cached_bytes(&heap);
    cr_assert_eq(td_space_trim(&heap, 0), held);
    cr_assert_eq(td_slabs_cached_bytes(&heap), cached + held);
  }
  td_space_deinit(&heap);
}

/* Long and short extents at random, some alive at each collection. */
Test(pool, random_extents) {
  enum { EXTENTS = 60 };
  heap_open(&heap, 256 * MIB);
  uint32_t x = 2463534242u;
  for (int round = 0; round < 16; round++) {
    void *extents[EXTENTS];
    size_t count = 0;
    for (int i = 0; i < EXTENTS; i++) {
      x ^= x << 13, x ^= x >> 17, x ^= x << 5;
      size_t blocks = 1 + (x % 8 == 0 ? x / 8 % 200 : x / 8 % 40);
      unsigned char *extent = large(blocks);
      if (!extent) break;
      cr_assert(is_zero(extent, blocks * TD_BLOCK_BYTES));
      memset(extent, 0x5a, blocks * TD_BLOCK_BYTES);
      if (i % 5 == 0) extents[count++] = extent;
    }
    heap_check(&heap);
    collect(extents, round % 3 ? count : 0);
    if (round % 4 == 3) td_space_trim(&heap, (size_t)round % 3 * 4 * TD_SLAB_BYTES);
    heap_check(&heap);
  }
  td_space_deinit(&heap);
}
