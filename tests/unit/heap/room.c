/* SPDX-License-Identifier: MIT */
/* Why there is no room: the budget, memory and place are told apart, and a search that failed is
 * not made again before something is freed. */
#include "heap/cells/cache.h"
#include "tests/unit/heap/common.h"

static struct td_space heap;

static enum td_room room_for(size_t blocks) {
  enum td_room room = TD_ROOM;
  td_space_alloc_large(&heap, TIDE_LAYOUT_LEAF, blocks * TD_BLOCK_BYTES, &room);
  return room;
}

SpaceTest(room, over_the_budget) {
  heap.budget_blocks = 10;
  cr_assert_eq(room_for(11), TD_ROOM_OVER_BUDGET);
  cr_assert_eq(room_for(10), TD_ROOM);
  struct tide_bump bump = {0};
  enum td_room room = TD_ROOM;
  cr_assert_eq(td_space_refill(&heap, &bump, TIDE_LAYOUT_LEAF, 16, &room), 0);
  cr_assert_eq(room, TD_ROOM_OVER_BUDGET);
}

/* There is no room, then some comes from elsewhere, and so on, without a collection. */
SpaceTest(room, a_run_that_finds_none_is_counted_once) {
  struct td_cache cache;
  cr_assert(td_cache_open(&cache));
  for (heap.budget_blocks = 0; heap.budget_blocks < 10; heap.budget_blocks++) {
    enum td_room room = TD_ROOM;
    while (td_cache_take(&heap, &cache, TIDE_LAYOUT_LEAF, TD_SMALL_BYTES_MAX, &room)) {
    }
    cr_assert_eq(room, TD_ROOM_OVER_BUDGET);
    cr_assert_leq(cache.filled_count, 1);
  }
  td_cache_close(&cache);
}

SpaceTest(room, sizes_that_no_range_holds) {
  enum td_room room = TD_ROOM;
  size_t sizes[] = {0,       heap.reserved_bytes + 1, (size_t)1 << 48, SIZE_MAX / 2, SIZE_MAX - 14,
                    SIZE_MAX};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++, room = TD_ROOM) {
    cr_assert_null(td_space_alloc_large(&heap, TIDE_LAYOUT_LEAF, sizes[i], &room));
    cr_assert_eq(room, TD_ROOM_NO_PLACE, "%zu", sizes[i]);
  }
  cr_assert_eq(heap.used_blocks, 0);
  heap_check(&heap);
}

/* Every second block of the whole range is used. */
WholeSpaceTest(room, no_place_among_fragments) {
  size_t all = heap.block_count - 1;
  FREED void **live = calloc(all, sizeof *live);
  for (size_t i = 0; i < all; i++)
    live[i] = heap_large(&heap, TIDE_LAYOUT_LEAF, TD_BLOCK_BYTES);
  heap_keep(&heap, live, all, 2);
  cr_assert_eq(room_for(2), TD_ROOM_NO_PLACE);
  cr_assert_eq(heap.extent_limit, 2, "what was found is remembered");
  cr_assert_eq(room_for(3), TD_ROOM_NO_PLACE);
  cr_assert_eq(room_for(1), TD_ROOM, "shorter ones still fit");
  heap_keep(&heap, live, all, 4);
  cr_assert_eq(room_for(3), TD_ROOM, "every fourth block is used now");
  cr_assert_eq(room_for(4), TD_ROOM_NO_PLACE);
  heap_check(&heap);
}
