/* SPDX-License-Identifier: MIT */
/* The pool of blocks: extents across slabs, the budget, the limit, memory given back. */
/* mlock by its number: the address sanitizer makes a function of that name do nothing. */
#include <sys/syscall.h>
#include <unistd.h>

#include <sys/mman.h>

#include "heap/memory/ahead.h"
#include "tests/unit/heap/common.h"

static struct td_space heap;

static void *large(size_t blocks) {
  return heap_large(&heap, TIDE_LAYOUT_LEAF, blocks * TD_BLOCK_BYTES);
}

SpaceTest(pool, an_extent_crosses_slabs_and_finds_its_hole_again) {
  void *a = large(20), *b = large(20), *c = large(100), *d = large(7);
  cr_assert(a && b && c && d);
  cr_assert_eq((char *)b - (char *)a, (ptrdiff_t)(20 * TD_BLOCK_BYTES));
  cr_assert_neq((uintptr_t)b / TD_SLAB_BYTES,
                ((uintptr_t)b + 20 * TD_BLOCK_BYTES - 1) / TD_SLAB_BYTES, "across a slab's end");
  memset(b, 0xbb, 20 * TD_BLOCK_BYTES);
  void *live[] = {a, c, d};
  heap_keep(&heap, live, 3, 1);
  cr_assert_neq(large(21), b, "too long for the hole");
  cr_assert_eq(large(12), b);
  cr_assert_eq(large(8), (char *)b + 12 * TD_BLOCK_BYTES);
  cr_assert(is_zero(b, 20 * TD_BLOCK_BYTES));
  heap_check(&heap);
}

SpaceTest(pool, the_budget_and_the_limit_are_exact) {
  uint32_t all = (uint32_t)(64 * MIB / TD_BLOCK_BYTES);
  cr_assert_eq(heap.max_blocks, all);
  heap.budget_blocks = 10;
  cr_assert_null(large(11));
  cr_assert_not_null(large(10));
  struct tide_bump bump = {0};
  cr_assert_null(heap_alloc(&heap, &bump, TIDE_LAYOUT_LEAF, 1));
  cr_assert_eq(bump.limit, 0);
  heap.budget_blocks = 11;
  for (size_t i = 0; i < TD_BLOCK_GRANULES; i++)
    cr_assert_not_null(heap_alloc(&heap, &bump, TIDE_LAYOUT_LEAF, 1));
  cr_assert_null(heap_alloc(&heap, &bump, TIDE_LAYOUT_LEAF, 1));
  td_space_retire(&heap, &bump);
  heap.budget_blocks = heap.max_blocks;
  cr_assert_null(large(all - 10));
  cr_assert_not_null(large(all - 11));
  cr_assert_null(large(1));
  cr_assert_eq(heap.used_blocks, all);
  heap_check(&heap);
  heap_keep(&heap, NULL, 0, 1);
  cr_assert_not_null(large(all), "all of it in one piece");
}

/* The whole reservation, up to its last block. */
WholeSpaceTest(pool, the_reservation_ends_where_it_ends) {
  uint32_t all = heap.block_count - 1;
  cr_assert_eq(heap.max_blocks, all);
  cr_assert_null(large(all + 1));
  char *object = large(all);
  cr_assert_not_null(object);
  cr_assert_eq((uintptr_t)object + (size_t)all * TD_BLOCK_BYTES, heap.base + heap.reserved_bytes);
  object[(size_t)all * TD_BLOCK_BYTES - 1] = 1;
  cr_assert_null(large(1));
  heap_check(&heap);
}

SpaceTest(pool, trimming_gives_memory_back_and_what_comes_again_is_zero) {
  void *low = large(3), *high = large(500);
  memset(low, 0x11, 3 * TD_BLOCK_BYTES);
  memset(high, 0x22, 500 * TD_BLOCK_BYTES);
  cr_assert_eq(td_space_trim(&heap, 0), 0, "all slabs are in use");
  uint32_t committed = heap.committed_slabs;
  heap_keep(&heap, &low, 1, 1);
  size_t before = process_bytes().resident, kept = 4 * TD_SLAB_BYTES;
  cr_assert_gt(before, 0);
  size_t given = td_space_trim(&heap, kept);
  cr_assert_eq(given, (size_t)(committed - 1 - 4) * TD_SLAB_BYTES);
  cr_assert_eq(heap.committed_slabs, 5);
  cr_assert_eq(heap.peak_committed_slabs, committed);
  cr_assert_leq(process_bytes().resident, before - given / 2, "the system has it");
  heap_check(&heap);
  cr_assert_eq(*(unsigned char *)low, 0x11);
  cr_assert_eq(td_space_trim(&heap, 0), kept);
  cr_assert_eq(td_space_trim(&heap, 0), 0);
  char *again = large(500);
  cr_assert_eq(again, high);
  cr_assert(is_zero(again, 500 * TD_BLOCK_BYTES));
  cr_assert_eq(heap.committed_slabs, committed);
  heap_check(&heap);
}

SpaceTest(pool, a_locked_slab_is_kept) {
  void *object = large(80); /* from slab 0, where block 0 is, to slab 2 */
  memset(object, 0x22, 80 * TD_BLOCK_BYTES);
  cr_assert_eq(heap.committed_slabs, 3);
  if (syscall(SYS_mlock, (char *)heap.base + TD_SLAB_BYTES, TD_SLAB_BYTES) != 0)
    cr_skip_test("this process may not lock memory");
  heap_keep(&heap, NULL, 0, 1);
  cr_assert_eq(td_space_trim(&heap, 0), TD_SLAB_BYTES, "slab 2 only");
  cr_assert_eq(heap.committed_slabs, 2);
  heap_check(&heap);
  cr_assert_eq(large(80), object);
  cr_assert(is_zero(object, 80 * TD_BLOCK_BYTES));
  heap_check(&heap);
}

/* Small objects in slabs that were given back: fresh pages need no zeroing, used blocks do. */
SpaceTest(pool, small_objects_after_trimming_are_zero) {
  for (int round = 0; round < 4; round++) {
    struct tide_bump bump = {0};
    for (int i = 0; i < 30000; i++) {
      void *object = heap_alloc(&heap, &bump, TIDE_LAYOUT_LEAF, 20);
      cr_assert(is_zero(object, 320), "round %d, object %d", round, i);
      memset(object, 0x33, 320);
    }
    heap_collect(&heap, &bump, NULL, 0, 1);
    if (round % 2) td_space_trim(&heap, (size_t)round * TD_SLAB_BYTES);
  }
}

/* The table of free blocks may end where its mapping ends, and nothing behind it is read. */
WholeSpaceTest(pool, the_search_stays_inside_its_table) {
  uint32_t all = heap.block_count - 1;
  cr_assert_eq(heap.block_count % 64, 0, "or the table does not end with a whole word");
  size_t page = td_plat_page_bytes(), bytes = heap.block_count / 8;
  char *guarded = td_plat_reserve(2 * page, page);
  cr_assert(guarded && bytes <= page && td_plat_commit(guarded, page));
  uint64_t *own = heap.free_bits;
  heap.free_bits = memcpy(guarded + page - bytes, own, bytes);
  cr_assert_not_null(large(all - 2));
  cr_assert_not_null(large(2));
  heap.used_blocks -= 2; /* within the budget; a hole of one block is before the last */
  heap.free_bits[(all - 1) / 64] |= (uint64_t)1 << ((all - 1) % 64);
  heap.single_hint = 1;
  cr_assert_null(large(2));
  heap.free_bits = own;
  td_plat_release(guarded, 2 * page);
}

static uint32_t committed(void) {
  return atomic_load(&heap.committed_slabs);
}

SpaceTest(pool, memory_is_made_ready_ahead) {
  heap.grows_ahead = true;
  cr_assert_not(td_ahead_is_wanted(&heap));
  cr_assert_not_null(large(63)); /* all of two slabs, but for block 0 */
  cr_assert_not(td_ahead_is_wanted(&heap), "no slab begins with one of them");
  cr_assert_eq(committed(), 2);
  uint32_t frontier = heap.frontier;
  cr_assert(td_ahead_make(&heap) && td_ahead_make(&heap));
  cr_assert_eq(heap.frontier, frontier, "the world may be stopped");
  cr_assert_not(td_ahead_make(&heap), "two are enough");
  cr_assert_eq(committed(), 4);
  cr_assert_eq(heap.used_blocks, 63);
  heap_check(&heap);
  unsigned char in_memory;
  char *third = (char *)heap.base + 2 * TD_SLAB_BYTES;
  cr_assert_eq(mincore(third + TD_SLAB_BYTES - 4096, 4096, &in_memory), 0);
  cr_assert(in_memory & 1);
  void *next = large(32);
  cr_assert_eq(next, third);
  cr_assert(td_ahead_is_wanted(&heap));
  cr_assert(is_zero(next, TD_SLAB_BYTES));
  cr_assert(td_ahead_make(&heap));
  cr_assert_not(td_ahead_make(&heap) || td_ahead_is_wanted(&heap));
  heap_check(&heap);
}

SpaceTest(pool, before_a_collection_what_it_will_take_is_made_ready) {
  heap.grows_ahead = true;
  heap.live_bytes = 6 * TD_SLAB_BYTES;
  heap.ahead = 0.5;
  cr_assert_not_null(large(31));
  for (unsigned i = 0; i < TD_READY_SLABS + 3; i++)
    cr_assert(td_ahead_make(&heap), "%u", i);
  cr_assert_not(td_ahead_make(&heap));
  uint32_t tables = heap.tables_end;
  cr_assert_geq(tables, heap.frontier + (TD_READY_SLABS + 3) * TD_SLAB_BLOCKS,
                "no more to wait for");
  heap.scarce_blocks = 1; /* it goes on */
  cr_assert_not_null(large(3 * TD_SLAB_BLOCKS));
  cr_assert_not(td_ahead_make(&heap), "its marker needs the CPU");
  cr_assert_not_null(large(TD_SLAB_BLOCKS));
  cr_assert(td_ahead_make(&heap), "but a few slabs are ready at any time");
  heap_check(&heap);
}

SpaceTest(pool, no_memory_is_made_ready_that_the_budget_forbids) {
  heap.grows_ahead = true;
  heap.budget_blocks = 63;
  cr_assert_not_null(large(31));
  cr_assert(td_ahead_make(&heap));
  cr_assert_not(td_ahead_make(&heap));
  heap.growing = 32; /* as if the thread were gone in a fork */
  heap.free_bits[0] &= UINT32_MAX;
  heap_check(&heap);
  td_ahead_forget(&heap);
  heap_check(&heap);
  cr_assert_not_null(large(32));
}
