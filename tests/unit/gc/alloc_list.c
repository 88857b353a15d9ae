/* SPDX-License-Identifier: MIT */
/* Many objects from one call, and what a collection leaves on the stack. */
#include "gc/threads/stop/registers.h"
#include "tests/unit/gc/common.h"
#include "tide/dropin.h"

#define MOST 100u

/* Returns how many objects the list has; each must be one, of the layout, and zero but for its link
 * if `zeroed`. */
static size_t length_of(struct world *w, uintptr_t *list, tide_layout layout, bool zeroed) {
  size_t length = 0;
  for (; list; list = (uintptr_t *)*list, length++) {
    cr_assert_eq((uintptr_t)list % 16, 0);
    cr_assert_eq(tide_object_layout(w->heap, list), layout);
    for (size_t i = 1; zeroed && i < tide_object_bytes(w->heap, list) / 8; i++)
      cr_assert_eq(list[i], 0);
  }
  return length;
}

/* Objects full of ones, one in four of which stays. */
static void fill(struct world *w, tide_layout layout, size_t bytes) {
  for (size_t i = 0; i < (bytes < 1000 ? 4000 : 40); i++) {
    void *object = tide_alloc(w->m, layout, bytes);
    memset(object, 0xff, bytes);
    if (i % 4 == 0) tide_handle(w->m, object);
  }
  cr_assert_eq(tide_collect(w->m), TIDE_OK);
}

static void try_size(size_t bytes) {
  SCOPED_WORLD w = world_new();
  tide_layout layouts[] = {TIDE_LAYOUT_CONSERVATIVE, TIDE_LAYOUT_LEAF,
                           tide_layout_unzeroed(w.heap, TIDE_LAYOUT_LEAF, NULL)};
  for (size_t i = 0; i < 3; i++) {
    fill(&w, layouts[i], bytes ? bytes : 1);
    cr_assert_eq(tide_collect_pause(w.heap), TIDE_OK);
    size_t before = count_objects(&w), count = 0, longest = 0;
    for (size_t most = 0; most <= MOST; most++) {
      void *list = tide_alloc_list(w.m, layouts[i], bytes, most);
      size_t length = length_of(&w, list, layouts[i], i < 2);
      cr_assert(length >= 1 && (length <= most || most == 0), "%zu of %zu", length, most);
      if (length > longest) longest = length;
      count += length;
    }
    cr_assert_eq(count_objects(&w), before + count);
    cr_assert_eq(tide_collect_resume(w.heap), TIDE_OK);
    if (bytes <= 512) cr_assert_gt(longest, 10, "%zu bytes: %zu", bytes, longest);
  }
}

Test(alloc_list, has_so_many_objects_at_most) {
  const size_t sizes[] = {0, 8, 16, 25, 48, 500, 512, 513, 5000, 100000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    try_size(sizes[i]);
}

HeapTest(alloc_list, holds_what_it_links) {
  void **held = tide_handle(w.m, tide_alloc_list(w.m, TIDE_LAYOUT_CONSERVATIVE, 32, MOST));
  size_t length = length_of(&w, *held, TIDE_LAYOUT_CONSERVATIVE, true);
  cr_assert_eq(live_after_collect(&w), length);
  cr_assert_eq(length_of(&w, *held, TIDE_LAYOUT_CONSERVATIVE, true), length);
  *held = NULL;
  cr_assert_eq(live_after_collect(&w), 0);
}

HeapTest(alloc_list, takes_freed_cells_again) {
  void *objects[64];
  for (size_t i = 0; i < 64; i++)
    objects[i] = tide_alloc(w.m, TIDE_LAYOUT_LEAF, 16);
  size_t before = count_objects(&w), count = 0;
  for (size_t i = 0; i < 63; i++)
    cr_assert_eq(tide_free(w.m, objects[i]), TIDE_OK);
  for (size_t i = 0; i < 300; i++)
    count +=
        length_of(&w, tide_alloc_list(w.m, TIDE_LAYOUT_LEAF, 16, MOST), TIDE_LAYOUT_LEAF, true);
  cr_assert_eq(count_objects(&w), before - 63 + count);
}

HeapTest(alloc_list, fails_as_other_allocation) {
  expect_refused(&w, tide_alloc_list(w.m, TIDE_LAYOUT_INVALID, 16, MOST), TIDE_ERROR_ARGUMENT);
  expect_refused(&w, tide_alloc_list(w.m, TIDE_LAYOUT_LEAF, (size_t)1 << 40, MOST),
                 TIDE_ERROR_MEMORY);
}

#define DEEP 4096u

static TD_READS_STACKS void soil(void) {
  char below[DEEP];
  memset(below, 0xa5, sizeof below);
  __asm__ volatile("" : : "r"(below) : "memory");
}

static TD_READS_STACKS size_t count_soiled(void) {
  char below[DEEP];
  size_t count = 0;
  __asm__ volatile("" : "=m"(below)); /* it holds what the last function left */
  for (size_t i = 0; i < sizeof below; i++)
    count += below[i] == (char)0xa5;
  return count;
}

Test(stack, is_clear_below_after_a_collection) {
  soil();
  cr_assert_gt(count_soiled(), DEEP / 2);
  soil();
  td_stack_clear_below();
  cr_assert_lt(count_soiled(), DEEP / 64);
}
