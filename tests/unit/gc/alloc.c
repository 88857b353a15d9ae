/* SPDX-License-Identifier: MIT */
/* Allocation: sizes, alignment, zeroes, refusals, the hard limit. */
#include "heap/space/block.h"
#include "tests/unit/gc/common.h"

HeapTest(alloc, every_size_is_zeroed_aligned_and_long_enough) {
  for (int round = 0; round < 3; round++) {
    for (size_t bytes = 0; bytes < 70000; bytes = bytes < 600 ? bytes + 1 : bytes * 9 / 8) {
      unsigned char *object = (unsigned char *)tide_alloc(w.m, TIDE_LAYOUT_LEAF, bytes);
      cr_assert_not_null(object);
      cr_assert_eq((uintptr_t)object % 16, 0);
      size_t usable = tide_object_bytes(w.heap, object);
      cr_assert_geq(usable, bytes ? bytes : 1);
      for (size_t i = 0; i < usable; i++)
        cr_assert_eq(object[i], 0, "byte %zu of %zu", i, bytes);
      memset(object, 0xA5, usable);
      cr_assert_eq(tide_object_layout(w.heap, object), TIDE_LAYOUT_LEAF);
      cr_assert_eq(tide_object_find(w.heap, object + usable - 1), object);
    }
    cr_assert_eq(live_after_collect(&w), 0);
  }
}

HeapTest(alloc, aligned) {
  for (size_t alignment = 1; alignment <= 65536; alignment *= 2)
    for (size_t bytes = 1; bytes < 100000; bytes = bytes * 3 + 1) {
      void *object = tide_alloc_aligned(w.m, TIDE_LAYOUT_LEAF, bytes, alignment);
      cr_assert_not_null(object, "%zu at %zu", bytes, alignment);
      cr_assert_eq((uintptr_t)object % alignment, 0);
      cr_assert_geq(tide_object_bytes(w.heap, object), bytes);
    }
  size_t wrong[] = {0, 3, 24, 131072, SIZE_MAX};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    expect_refused(&w, tide_alloc_aligned(w.m, TIDE_LAYOUT_LEAF, 16, wrong[i]),
                   TIDE_ERROR_ARGUMENT);
  }
}

HeapTest(alloc, wrong_layouts_are_refused) {
  tide_layout wrong[] = {TIDE_LAYOUT_INVALID, 4000, 4095, 4096, 65535};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    expect_refused(&w, tide_alloc(w.m, wrong[i], 16), TIDE_ERROR_ARGUMENT);
  }
  size_t far[] = {24, 800};
  tide_layout shorter = tide_layout_offsets(w.heap, 32, far, 1, NULL);
  tide_layout longer = tide_layout_offsets(w.heap, 1000, far, 2, NULL);
  cr_assert_not_null(tide_alloc(w.m, shorter, 32));
  cr_assert_not_null(tide_alloc(w.m, longer, 808));
  cr_assert_null(tide_alloc(w.m, shorter, 16), "the reference lies outside");
  cr_assert_eq(tide_alloc_status(w.m), TIDE_ERROR_ARGUMENT);
  cr_assert_null(tide_alloc(w.m, longer, 100), "the second reference lies outside");
  cr_assert_eq(tide_alloc_status(w.m), TIDE_ERROR_ARGUMENT);
}

struct hook {
  int calls;
  size_t bytes;
  void ***drop;
};

static bool drop_all(void *context, size_t bytes) {
  struct hook *hook = context;
  hook->calls++;
  hook->bytes = bytes;
  if (!hook->drop) return false;
  **hook->drop = NULL;
  return true;
}

/* Fills the heap with a list until there is no more; how many. */
static uint64_t fill(struct world *w, void **head, size_t bytes) {
  uint64_t count = 0;
  for (void **object; (object = (void **)tide_alloc(w->m, TIDE_LAYOUT_REFS, bytes)); count++) {
    object[0] = *head;
    *head = object;
  }
  return count;
}

Test(alloc, hard_limit_hook_and_recovery) {
  struct hook hook = {0};
  SCOPED_WORLD w = WORLD(.heap_max_bytes = (size_t)4 << 20, .heap_initial_bytes = (size_t)1 << 20,
                         .out_of_memory = drop_all, .out_of_memory_context = &hook);
  void **head = tide_handle(w.m, NULL);
  uint64_t count = fill(&w, head, 64);
  cr_assert_eq(hook.calls, 1);
  cr_assert_eq(hook.bytes, 64);
  cr_assert_eq(tide_alloc_status(w.m), TIDE_ERROR_MEMORY);
  cr_assert_geq(count, ((size_t)4 << 20) / 64 * 95 / 100, "only %zu fitted", (size_t)count);
  cr_assert_eq(live_after_collect(&w), count);
  *head = NULL;
  cr_assert_eq(fill(&w, head, 64), count, "after dropping all, as many fit again");
  hook.drop = &head;
  cr_assert_not_null(tide_alloc(w.m, TIDE_LAYOUT_REFS, 64), "the hook made room");
  cr_assert_eq(live_after_collect(&w), 0);
  hook.drop = NULL;
  cr_assert_gt(fill(&w, head, 40000), 0);
}

/* Each block keeps one of the smallest objects. */
Test(alloc, larger_cells_where_none_of_the_size_is_left) {
  SCOPED_WORLD w = WORLD(.heap_max_bytes = (size_t)4 << 20);
  void **head = tide_handle(w.m, NULL);
  cr_assert_gt(fill(&w, head, 48), 0);
  void ***kept = (void ***)tide_handle(w.m, *head);
  *head = NULL;
  for (void **at = (void **)*kept; at; at = (void **)at[0])
    while (at[0] && ((uintptr_t)at[0] ^ (uintptr_t)at) < TD_BLOCK_BYTES)
      at[0] = *(void **)at[0];
  cr_assert_not_null(tide_alloc(w.m, TIDE_LAYOUT_REFS, 48));
  void *larger = tide_alloc(w.m, TIDE_LAYOUT_REFS, 32);
  cr_assert_eq(tide_object_bytes(w.heap, larger), 48);
  cr_assert_null(tide_alloc_aligned(w.m, TIDE_LAYOUT_REFS, 32, 32), "48 is no multiple");
  cr_assert_null(tide_alloc(w.m, TIDE_LAYOUT_LEAF, 32), "of that layout there is no block");
  cr_assert_eq(tide_alloc_status(w.m), TIDE_ERROR_MEMORY);
}

Test(alloc, a_large_object_as_large_as_the_limit_allows) {
  SCOPED_WORLD w = WORLD(.heap_max_bytes = (size_t)32 << 20, .heap_initial_bytes = (size_t)1 << 20);
  for (int i = 0; i < 10; i++) {
    char *object = (char *)tide_alloc(w.m, TIDE_LAYOUT_LEAF, (size_t)31 << 20);
    cr_assert_not_null(object);
    cr_assert_eq(object[(31 << 20) - 1], 0);
    object[(31 << 20) - 1] = 1;
  }
  cr_assert_null(tide_alloc(w.m, TIDE_LAYOUT_LEAF, (size_t)33 << 20));
}

HeapTest(alloc, memory_is_given_back_when_the_live_set_shrinks) {
  void **head = list_new(&w, 200000);
  tide_collect(w.m);
  struct tide_heap_stats before = stats_of(w.heap);
  *head = NULL;
  for (int i = 0; i < 20; i++)
    tide_collect(w.m);
  struct tide_heap_stats after = stats_of(w.heap);
  cr_assert_geq(before.committed_bytes, 200000 * sizeof(struct pair));
  cr_assert_eq(after.heap_bytes, 0);
  cr_assert_leq(after.committed_bytes, (size_t)18 << 20);
  cr_assert_geq(after.peak_committed_bytes, before.committed_bytes);
}
