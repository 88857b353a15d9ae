/* SPDX-License-Identifier: MIT */
/* Large objects: zeroed, exact, as long as the limit allows, and untouched until used. */
/* mlock by its number: the address sanitizer makes a function of that name do nothing. */
#include <sys/syscall.h>

#include "tests/unit/heap/common.h"

static struct td_space heap;

SpaceTest(large, sizes_are_rounded_to_granules_and_blocks) {
  size_t sizes[] = {TD_SMALL_BYTES_MAX + 1,
                    TD_BLOCK_BYTES - 1,
                    TD_BLOCK_BYTES,
                    TD_BLOCK_BYTES + 1,
                    2 * MIB,
                    5 * MIB + 17};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    uint32_t before = heap.used_blocks;
    char *object = (char *)heap_large(&heap, TIDE_LAYOUT_LEAF, sizes[i]);
    cr_assert_not_null(object);
    cr_assert_eq((uintptr_t)object % TD_BLOCK_BYTES, 0);
    cr_assert_eq(heap.used_blocks - before, (sizes[i] + TD_BLOCK_BYTES - 1) / TD_BLOCK_BYTES);
    cr_assert_eq(td_space_object_bytes(&heap, (uintptr_t)object), (sizes[i] + 15) / 16 * 16);
    cr_assert(is_zero(object, sizes[i]));
  }
  heap_check(&heap);
  cr_assert_gt(heap_keep(&heap, NULL, 0, 1), 0);
  cr_assert_eq(heap.used_blocks, 0);
}

/* Those as long as this get fresh pages, unless the system keeps the old ones: they are locked. */
SpaceTest(large, memory_is_zero_again) {
  for (int again = 0; again < 3; again++) {
    char *longest = (char *)heap_large(&heap, TIDE_LAYOUT_LEAF, 40 * MIB);
    cr_assert(is_zero(longest, 40 * MIB));
    memset(longest, 0xcc, 40 * MIB);
    if (again == 1 && syscall(SYS_mlock, longest, 40 * MIB) != 0)
      cr_skip_test("this process may not lock memory");
    heap_keep(&heap, NULL, 0, 1);
  }
}

SpaceTestOf((size_t)8 << 30, large, several_gib_that_nobody_touches_cost_nothing) {
  size_t bytes = (size_t)6 << 30;
  size_t before = process_bytes().resident;
  cr_assert_gt(before, 0);
  char *object = (char *)heap_large(&heap, TIDE_LAYOUT_REFS, bytes);
  cr_assert_not_null(object);
  cr_assert_eq(td_space_object_bytes(&heap, (uintptr_t)object), bytes);
  uintptr_t last = (uintptr_t)object + bytes - 1;
  cr_assert_eq(td_space_find(&heap, last, TD_FROM_HEAP), (uintptr_t)object);
  for (size_t at = 0; at < bytes; at += bytes / 7)
    cr_assert_eq(object[at], 0);
  /* The check reads all marks, for which some kernels give memory. */
  heap_collect_unchecked(&heap, &(struct tide_bump){0}, (void **)&object, 1, 1);
  /* side tables: 24 and 16 bytes per block; a few pages of the object, huge ones perhaps */
  cr_assert_leq(process_bytes().resident - before, (size_t)64 << 20);
  heap_check(&heap);
  cr_assert_eq(heap.live_objects, 1);
  cr_assert_eq(heap.live_bytes, bytes);
  cr_assert_eq(heap.leaf_bytes, 0, "it has references");
  cr_assert_eq(heap_keep(&heap, NULL, 0, 1), bytes / TD_BLOCK_BYTES);
  cr_assert_eq(td_space_find(&heap, last, TD_FROM_HEAP), 0);
}
