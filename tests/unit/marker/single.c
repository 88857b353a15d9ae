/* SPDX-License-Identifier: MIT */
/* The loops for objects that have one reference each. */
#include "marker/loop/single.h"
#include "tests/unit/heap/common.h"

enum { LISTS = TD_WINDOW, STRIDE = 1024, SLOT = 1 };

static struct td_space heap;
static struct td_view v;
static uint64_t ring[TD_WINDOW];
static struct td_single single;

/* A piece of memory whose blocks are made to look as if they held elements of lists. */
static void open_heap(void) {
  heap_open(&heap, 64 * MIB);
  cr_assert_not_null(heap_large(&heap, TIDE_LAYOUT_LEAF, 4 * MIB));
  td_space_begin_marking(&heap);
  v = td_view_of(&heap);
  for (uint32_t b = 0; b < heap.frontier; b++) {
    heap.blocks[b].kind = TD_KIND_SLOTS_1;
    heap.blocks[b].map = (uint64_t)1 << SLOT;
  }
  single = (struct td_single){.window.ring = ring};
}

static void close_heap(void) {
  td_space_deinit(&heap);
}

TestSuite(single, .init = open_heap, .fini = close_heap);

static uintptr_t object_at(size_t bytes) {
  return heap.base + 4 * TD_BLOCK_BYTES + bytes;
}

/* Makes a white object that refers to another one. */
static uintptr_t make(size_t bytes, uintptr_t next) {
  uintptr_t object = object_at(bytes);
  td_mark_store(td_view_mark(&v, object), v.white);
  ((uintptr_t *)object)[SLOT] = next;
  return object;
}

static bool is_marked(uintptr_t object) {
  return td_view_meet(&v, object) == TD_MET_MARKED;
}

/* A list of `count` objects that follow each other in memory. */
static void make_list(size_t count) {
  for (size_t i = 0; i < count; i++)
    make(16 * i, i + 1 < count ? object_at(16 * (i + 1)) : 0);
  single.next = single.last = object_at(0);
}

Test(single, a_list_is_followed_as_far_as_the_budget_goes) {
  make_list(10);
  cr_assert(td_single_pays(&heap, single.next, single.last, 0));
  single.budget = 4;
  td_single_run(&heap, &single);
  cr_assert_eq(single.scanned, 4);
  cr_assert_eq(single.next, object_at(64));
  cr_assert_eq(single.last, object_at(48));
  cr_assert(is_marked(object_at(48)) && !is_marked(object_at(64)));
  single.budget = 100;
  td_single_run(&heap, &single);
  cr_assert_eq(single.scanned, 6);
  cr_assert_eq(single.next, 0);
  cr_assert_not(td_single_pays(&heap, 0, single.last, 0));
}

Test(single, a_list_ends_before_an_object_that_is_marked) {
  make_list(10);
  td_mark_store(td_view_mark(&v, object_at(48)), v.epoch);
  single.budget = 100;
  td_single_run(&heap, &single);
  cr_assert_eq(single.scanned, 3);
  cr_assert_eq(single.next, object_at(48));
}

Test(single, a_list_ends_before_an_object_of_another_layout) {
  const size_t end = TD_BLOCK_BYTES;
  struct td_block *other = &heap.blocks[5];
  const struct td_block others[] = {
      {.kind = TD_KIND_SLOTS_2, .map = 3},
      {.kind = TD_KIND_SLOTS_1, .map = 1}, /* one reference, but in another slot */
      {.kind = TD_KIND_PREFIXED, .map = (uint64_t)1 << SLOT}, /* words before the slots */
  };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    single.last = single.next = make(end - 16, make(end, 0));
    other->kind = others[i].kind;
    other->map = others[i].map;
    single.budget = 100;
    td_single_run(&heap, &single);
    cr_assert_eq(single.scanned, 1, "layout %zu", i);
    cr_assert_eq(single.next, object_at(end), "layout %zu", i);
    cr_assert_not(is_marked(object_at(end)), "layout %zu", i);
    cr_assert_eq(td_single_pays(&heap, object_at(end), object_at(end), 0),
                 other->kind == TD_KIND_SLOTS_1, "layout %zu", i);
  }
}

/* The window has the first objects of all lists but the last, whose first object is `next`. Of each
 * list the objects lie LISTS * STRIDE apart. */
static void make_lists(size_t length) {
  for (size_t i = 0; i < LISTS * length; i++)
    make(STRIDE * i, i + LISTS < LISTS * length ? object_at(STRIDE * (i + LISTS)) : 0);
  single.window.head = 7;
  single.window.count = 0;
  single.last = heap.base;
  single.next = object_at(STRIDE * (LISTS - 1));
  for (size_t i = 0; i + 1 < LISTS; i++)
    td_window_append(&single.window, &v, object_at(STRIDE * i));
}

Test(single, lists_go_through_the_window_abreast) {
  make_lists(5);
  cr_assert(td_single_pays(&heap, single.next, single.last, TD_WINDOW - 1));
  cr_assert_not(td_single_pays(&heap, single.next, single.last, TD_WINDOW - 2));
  single.budget = 3 * LISTS;
  td_single_run(&heap, &single);
  cr_assert_eq(single.scanned, 3 * LISTS);
  cr_assert_eq(single.window.count, TD_WINDOW - 1);
  cr_assert_eq(single.next, object_at(STRIDE * (4 * LISTS - 1)));
  for (size_t i = 0; i < 5 * LISTS; i++)
    cr_assert_eq(is_marked(object_at(STRIDE * i)), i < 3 * LISTS, "object %zu", i);
  for (size_t i = 0; i + 1 < LISTS; i++)
    cr_assert_eq(td_window_take(&single.window), object_at(STRIDE * (3 * LISTS + i)));
}

Test(single, any_other_object_is_left_in_a_full_window) {
  make_lists(3);
  uintptr_t grey = object_at(STRIDE * 5);
  td_mark_store(td_view_mark(&v, grey), v.epoch);
  ring[(7 + 5) % TD_WINDOW] = grey | TD_ITEM_GREY;
  single.budget = 60;
  td_single_run(&heap, &single);
  cr_assert_eq(single.scanned, 5);
  cr_assert_eq(single.next, 0);
  cr_assert_eq(single.window.count, TD_WINDOW);
  cr_assert_eq(td_window_take(&single.window), grey | TD_ITEM_GREY);
}

Test(single, a_list_that_ends_leaves_room_in_the_window) {
  make_lists(1);
  single.budget = 60;
  td_single_run(&heap, &single);
  cr_assert_eq(single.scanned, 1);
  cr_assert_eq(single.next, 0);
  cr_assert_eq(single.window.count, TD_WINDOW - 1);
  cr_assert_eq(td_window_take(&single.window), object_at(STRIDE));
}
