/* First touches apart from allocation: slabs that are set aside, touched, and brought back. */
#include "heap/touch.h"

#include "tests/unit/heap/common.h"

static struct td_space heap;

static void open_apart(void) {
  struct tide_error error;
  cr_assert(td_space_init(&heap, 64 * MIB, SIZE_MAX, &error), "%s", error.text);
  td_space_touch_apart(&heap);
}

/* Takes a block for small objects. Returns its number, or 0. */
static uint32_t take_block(enum td_room *room) {
  struct tide_bump bump = {0};
  *room = TD_ROOM;
  if (!td_space_refill(&heap, &bump, TIDE_LAYOUT_LEAF, 1, room)) return 0;
  uint32_t block = (uint32_t)((bump.next - heap.base) >> TD_BLOCK_LOG2);
  td_space_retire(&heap, &bump);
  return block;
}

static uint32_t slabs(void) {
  return atomic_load(&heap.committed_slabs);
}

Test(touch, a_new_slab_is_touched_before_it_is_used) {
  open_apart();
  enum td_room room;
  struct td_touch first, second;
  cr_assert_eq(take_block(&room), 0);
  cr_assert_eq(room, TD_ROOM_UNTOUCHED);
  cr_assert_eq(heap.used_blocks, 0);
  cr_assert_eq(take_block(&room), 0);
  cr_assert_eq(slabs(), 1, "one that waits is enough");
  cr_assert(td_touch_begin(&heap, &first));
  cr_assert_not(td_touch_begin(&heap, &second), "it is somebody's");
  heap_check(&heap);
  cr_assert_eq(take_block(&room), 0);
  cr_assert_eq(room, TD_ROOM_UNTOUCHED);
  cr_assert(td_touch_begin(&heap, &second), "others have a slab of their own meanwhile");
  cr_assert_neq(second.slab, first.slab);
  td_touch_now(&first);
  td_touch_end(&heap, &first);
  heap_check(&heap);
  uint32_t block = take_block(&room);
  cr_assert_neq(block, 0);
  cr_assert_eq(block / TD_SLAB_BLOCKS, first.slab);
  td_touch_end(&heap, &second);
  cr_assert_eq(heap.slabs_aside, 0);
  cr_assert_eq(heap.used_blocks, 1);
  heap_check(&heap);
  td_space_deinit(&heap);
}

Test(touch, extents_do_not_wait) {
  open_apart();
  cr_assert_not_null(heap_large(&heap, TIDE_LAYOUT_LEAF, 20 * TD_BLOCK_BYTES));
  enum td_room room;
  cr_assert_neq(take_block(&room), 0, "the rest of its slab is free");
  cr_assert_eq(heap.slabs_aside, 0);
  heap_check(&heap);
  td_space_deinit(&heap);
}

/* Whoever finds no other block need not wait for who touches. */
Test(touch, a_slab_comes_back_where_nothing_else_is_left) {
  open_apart();
  enum td_room room;
  struct td_touch touch;
  cr_assert_eq(take_block(&room), 0);
  cr_assert(td_touch_begin(&heap, &touch));
  size_t others = heap.block_count - TD_SLAB_BLOCKS;
  cr_assert_not_null(heap_large(&heap, TIDE_LAYOUT_LEAF, others * TD_BLOCK_BYTES));
  uint32_t block = take_block(&room);
  cr_assert_neq(block, 0);
  cr_assert_eq(block / TD_SLAB_BLOCKS, touch.slab);
  cr_assert_eq(heap.slabs_aside, 0);
  td_touch_now(&touch);
  td_touch_end(&heap, &touch);
  cr_assert_not(td_block_is_free(&heap, block), "a late end takes nothing away");
  heap_check(&heap);
  td_space_deinit(&heap);
}

Test(touch, slabs_are_kept_from_trimming_and_come_back_after_a_fork) {
  open_apart();
  enum td_room room;
  struct td_touch touch;
  cr_assert_eq(take_block(&room), 0);
  cr_assert(td_touch_begin(&heap, &touch));
  cr_assert_eq(td_space_trim(&heap, 0), 0);
  td_touch_skip(&heap);
  cr_assert_neq(take_block(&room), 0);
  td_touch_skip(&heap);
  heap_check(&heap);
  td_space_deinit(&heap);
}

/* With small pages at first, a huge page that was dear keeps the next slabs from getting any. */
Test(touch, a_dear_page_is_followed_by_small_ones) {
  open_apart();
  td_space_use_small_pages(&heap, TD_SLAB_BYTES);
  cr_assert_not_null(heap_large(&heap, TIDE_LAYOUT_LEAF, (TD_SLAB_BLOCKS - 1) * TD_BLOCK_BYTES));
  enum td_room room;
  struct td_touch touch;
  cr_assert_eq(take_block(&room), 0);
  cr_assert_eq(room, TD_ROOM_UNTOUCHED);
  cr_assert(td_touch_begin(&heap, &touch));
  touch.ns = 1000 * UINT64_C(1000000);
  td_touch_end(&heap, &touch);
  cr_assert_gt(heap.small_slabs, 0);
  for (uint32_t i = 0; i < 2 * TD_SLAB_BLOCKS; i++)
    cr_assert_neq(take_block(&room), 0, "%u", i);
  heap_check(&heap);
  td_space_deinit(&heap);
}
