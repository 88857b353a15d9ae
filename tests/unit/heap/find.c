/* Which object an address points at or into. */
#include "heap/view.h"
#include "tests/unit/heap/common.h"

static struct td_space heap;

/* What markers are led to, who test the mark later: the same cell, or a free one. */
static void expect_candidate(uintptr_t address, uintptr_t object, uintptr_t cell) {
  const struct td_view v = td_view_of(&heap);
  uintptr_t candidate = td_view_candidate(&v, address);
  cr_assert_eq(candidate, cell, "%zx", (size_t)address);
  cr_assert_eq(candidate && td_view_is_white(&v, candidate), object != 0);
}

/* Where a marker is led by an address in a block of cells. What begins behind the last cell passes
 * for one: nothing there is ever white. */
static uintptr_t candidate_of(uintptr_t block, size_t offset, size_t bytes) {
  size_t cell = offset / bytes;
  return cell < TD_BLOCK_BYTES / bytes || offset % bytes == 0 ? block + cell * bytes : 0;
}

/* Every granule boundary of the block and the bytes around it; `alive` says which cells hold
 * objects. */
static void expect_block(const char *block, unsigned c, const char *alive) {
  size_t bytes = td_class_bytes(c), cells = TD_BLOCK_BYTES / bytes;
  for (size_t at = 0; at < TD_BLOCK_BYTES; at += TD_GRANULE_BYTES)
    for (size_t in = 0; in < TD_GRANULE_BYTES; in += TD_GRANULE_BYTES - 1) {
      size_t cell = (at + in) / bytes;
      uintptr_t expected = cell < cells && alive[cell] ? (uintptr_t)block + cell * bytes : 0;
      cr_assert_eq(td_space_find(&heap, (uintptr_t)block + at + in), expected, "class %u, byte %zu",
                   c, at + in);
      expect_candidate((uintptr_t)block + at + in, expected,
                       candidate_of((uintptr_t)block, at + in, bytes));
    }
}

Test(find, every_granule_of_every_class_before_and_after_sweeping) {
  heap_open(&heap, 64 * MIB);
  for (unsigned c = 1; c < TD_CLASSES; c++) {
    size_t cells = TD_BLOCK_BYTES / td_class_bytes(c);
    void **objects = calloc(cells, sizeof *objects);
    char *alive = calloc(cells, 1);
    struct tide_bump bump = {0};
    for (size_t i = 0; i < cells - 1; i++) { /* the last cell stays free */
      objects[i] = heap_alloc(&heap, &bump, TIDE_LAYOUT_LEAF, c);
      alive[i] = 1;
    }
    td_space_retire(&heap, &bump);
    const char *block = objects[0];
    cr_assert_eq((uintptr_t)block % TD_BLOCK_BYTES, 0);
    expect_block(block, c, alive);
    heap_collect(&heap, &bump, objects, cells - 1, 3);
    for (size_t i = 0; i < cells; i++)
      alive[i] = i < cells - 1 && i % 3 == 0;
    expect_block(block, c, alive);
    heap_collect(&heap, &bump, NULL, 0, 1);
    for (size_t at = 0; at < TD_BLOCK_BYTES; at += 8)
      cr_assert_eq(td_space_find(&heap, (uintptr_t)block + at), 0);
    const struct td_view v = td_view_of(&heap);
    cr_assert_eq(td_view_candidate(&v, (uintptr_t)block), 0, "the block is free");
    free(objects);
    free(alive);
  }
  td_space_deinit(&heap);
}

/* While marking, an object that was there before counts, marked yet or not. */
Test(find, while_marking) {
  heap_open(&heap, 64 * MIB);
  struct tide_bump bump = {0};
  void *dead = heap_alloc(&heap, &bump, TIDE_LAYOUT_LEAF, 3);
  void *object = heap_alloc(&heap, &bump, TIDE_LAYOUT_LEAF, 3);
  heap_collect(&heap, &bump, &object, 1, 1);
  td_space_begin_marking(&heap);
  cr_assert_eq(td_space_find(&heap, (uintptr_t)object + 47), (uintptr_t)object);
  cr_assert_eq(td_space_find(&heap, (uintptr_t)dead), 0);
  const struct td_view v = td_view_of(&heap);
  cr_assert(td_view_is_white(&v, (uintptr_t)object));
  cr_assert(!td_view_is_white(&v, (uintptr_t)dead));
  td_mark_store(&heap.marks[heap_granule(&heap, object)], heap.epoch | TD_DEFERRED);
  cr_assert(!td_view_is_white(&v, (uintptr_t)object));
  cr_assert_eq(td_space_find(&heap, (uintptr_t)object + 1), (uintptr_t)object);
  cr_assert(td_is_marked(&heap, heap_granule(&heap, object)));
  heap_mark(&heap, object);
  td_space_end_marking(&heap);
  cr_assert_eq(td_space_find(&heap, (uintptr_t)object), (uintptr_t)object);
  td_space_deinit(&heap);
}

Test(find, large_objects_and_the_rest_of_their_last_block) {
  heap_open(&heap, 64 * MIB);
  size_t sizes[] = {TD_SMALL_BYTES_MAX + 1, TD_BLOCK_BYTES, TD_BLOCK_BYTES + 1, 3 * MIB - 5};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    uintptr_t object = (uintptr_t)heap_large(&heap, TIDE_LAYOUT_LEAF, sizes[i]);
    size_t rounded = (sizes[i] + 15) / 16 * 16;
    cr_assert_eq(td_space_object_bytes(&heap, object), rounded);
    for (size_t at = 0; at < rounded; at += at < 4096 ? 1 : 4093) {
      cr_assert_eq(td_space_find(&heap, object + at), object);
      expect_candidate(object + at, object, object);
    }
    cr_assert_eq(td_space_find(&heap, object + rounded - 1), object);
    size_t whole = (rounded + TD_BLOCK_BYTES - 1) / TD_BLOCK_BYTES * TD_BLOCK_BYTES;
    for (size_t at = rounded; at < whole; at += TD_GRANULE_BYTES)
      cr_assert_eq(td_space_find(&heap, object + at), 0);
  }
  td_space_deinit(&heap);
}

Test(find, foreign_addresses) {
  heap_open(&heap, 64 * MIB);
  uintptr_t none[] = {0,
                      1,
                      UINTPTR_MAX,
                      (uintptr_t)&heap,
                      heap.base,
                      heap.base - 1,
                      heap.base + TD_BLOCK_BYTES,
                      heap.base + heap.reserved_bytes - 1,
                      heap.base + heap.reserved_bytes};
  for (int used = 0; used < 2; used++) {
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
      if (!used || i != 6) cr_assert_eq(td_space_find(&heap, none[i]), 0, "address %zu", i);
    cr_assert_not_null(heap_large(&heap, TIDE_LAYOUT_LEAF, TD_BLOCK_BYTES));
  }
  td_space_deinit(&heap);
}

/* One comparison tests range and alignment together. */
Test(find, only_aligned_words_of_the_range_are_references) {
  heap_open(&heap, 64 * MIB);
  for (uintptr_t low = 0; low < 16; low++) {
    cr_assert_eq(td_granule_of(heap.base, heap.base + 4096 + low) < heap.granules, low == 0);
    cr_assert_eq(td_granule_of(heap.base, low) < heap.granules, false);
    cr_assert_eq(td_granule_of(heap.base, heap.base - 16 + low) < heap.granules, low == 16);
  }
  cr_assert_eq(td_granule_of(heap.base, heap.base + heap.reserved_bytes), heap.granules);
  cr_assert_eq(td_granule_of(heap.base, heap.base + heap.reserved_bytes - 16), heap.granules - 1);
  td_space_deinit(&heap);
}
