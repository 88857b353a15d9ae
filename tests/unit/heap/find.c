/* SPDX-License-Identifier: MIT */
/* Which object an address points at or into. */
#include "heap/memory/blocks.h"
#include "heap/view.h"
#include "tests/unit/heap/common.h"

static struct td_space heap;

/* Where a word that may be a pointer leads a marker to: an object that is white, or 0. */
static uintptr_t met_by(const struct td_view *v, uintptr_t word) {
  uintptr_t reference = td_view_word(v, word);
  for (int looks = 0; reference; looks++) {
    cr_assert(looks < 2, "a cell that is found inside is not inside of another");
    enum td_met met = td_view_meet(v, reference);
    if (met != TD_MET_OTHER) return met == TD_MET_WHITE ? reference : 0;
    reference = td_view_inside(v->space, reference);
  }
  return 0;
}

/* Every granule boundary of the block and the bytes around it; `alive` says which cells hold
 * objects. */
static void expect_block(const char *block, unsigned c, const char *alive) {
  const struct td_view v = td_view_of(&heap);
  size_t bytes = td_class_bytes(c), cells = TD_BLOCK_BYTES / bytes;
  for (size_t at = 0; at < TD_BLOCK_BYTES; at += TD_GRANULE_BYTES)
    for (size_t in = 0; in < TD_GRANULE_BYTES; in += TD_GRANULE_BYTES - 1) {
      size_t cell = (at + in) / bytes;
      uintptr_t expected = cell < cells && alive[cell] ? (uintptr_t)block + cell * bytes : 0;
      cr_assert_eq(td_space_find(&heap, (uintptr_t)block + at + in, TD_FROM_HEAP), expected,
                   "class %u, byte %zu", c, at + in);
      cr_assert_eq(met_by(&v, (uintptr_t)block + at + in), expected);
    }
}

SpaceTest(find, every_granule_of_every_class_before_and_after_sweeping) {
  for (unsigned c = 1; c < TD_CLASSES; c++) {
    size_t cells = TD_BLOCK_BYTES / td_class_bytes(c);
    FREED void **objects = calloc(cells, sizeof *objects);
    FREED char *alive = calloc(cells, 1);
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
    const struct td_view v = td_view_of(&heap);
    for (size_t at = 0; at < TD_BLOCK_BYTES; at += 8) {
      cr_assert_eq(td_space_find(&heap, (uintptr_t)block + at, TD_FROM_HEAP), 0);
      cr_assert_eq(met_by(&v, (uintptr_t)block + at), 0, "the block is free");
    }
  }
}

/* While marking, an object that was there before counts, marked yet or not. */
SpaceTest(find, while_marking) {
  struct tide_bump bump = {0};
  void *dead = heap_alloc(&heap, &bump, TIDE_LAYOUT_LEAF, 3);
  void *object = heap_alloc(&heap, &bump, TIDE_LAYOUT_LEAF, 3);
  heap_collect(&heap, &bump, &object, 1, 1);
  td_space_begin_marking(&heap);
  cr_assert_eq(td_space_find(&heap, (uintptr_t)object + 47, TD_FROM_HEAP), (uintptr_t)object);
  cr_assert_eq(td_space_find(&heap, (uintptr_t)dead, TD_FROM_HEAP), 0);
  const struct td_view v = td_view_of(&heap);
  cr_assert(td_view_is_white(&v, (uintptr_t)object));
  cr_assert(!td_view_is_white(&v, (uintptr_t)dead));
  td_mark_store(&heap.marks[heap_granule(&heap, object)], heap.epoch | TD_DEFERRED);
  cr_assert(!td_view_is_white(&v, (uintptr_t)object));
  cr_assert_eq(td_space_find(&heap, (uintptr_t)object + 1, TD_FROM_HEAP), (uintptr_t)object);
  cr_assert(td_is_marked(&heap, heap_granule(&heap, object)));
  heap_mark(&heap, object);
  td_space_end_marking(&heap);
  cr_assert_eq(td_space_find(&heap, (uintptr_t)object, TD_FROM_HEAP), (uintptr_t)object);
}

/* Beside the program markers find what lies in blocks that were in use when they began, and nothing
 * in those that were made since. The former stay what they are until all are sorted. */
SpaceTest(find, beside_the_program) {
  struct tide_bump bump = {0};
  void *old = heap_alloc(&heap, &bump, TIDE_LAYOUT_LEAF, 3);
  const uint32_t block = td_block_of(&heap, (uintptr_t)old);
  td_space_retire(&heap, &bump);
  td_space_begin_marking_beside(&heap);
  const uintptr_t fresh = (uintptr_t)heap_large(&heap, TIDE_LAYOUT_LEAF, MIB);
  const uintptr_t far = (uintptr_t)heap_large(&heap, TIDE_LAYOUT_LEAF, 16 * MIB);
  cr_assert_geq(td_block_of(&heap, far + 8 * MIB), heap.view_frontier);
  cr_assert_eq(td_space_find_before(&heap, (uintptr_t)old + 1, TD_FROM_HEAP), (uintptr_t)old);
  const uintptr_t none[] = {0, fresh, fresh + 1, far + 8 * MIB, heap.base + heap.reserved_bytes};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    cr_assert_eq(td_space_find_before(&heap, none[i], TD_FROM_HEAP), 0, "address %zu", i);
  cr_assert_eq(td_view_inside(&heap, (uintptr_t)old + 16), (uintptr_t)old);
  cr_assert_eq(td_view_inside(&heap, fresh + 16), 0);
  cr_assert_eq(td_space_find(&heap, fresh + 1, TD_FROM_HEAP), fresh);
  cr_assert_eq(td_blocks_give(&heap, block, 1), 0);
  cr_assert_eq(heap.infos[block].state, TD_BLOCK_SMALL);
  td_space_free_large(&heap, fresh); /* as a young collection does */
  cr_assert_eq(heap.infos[td_block_of(&heap, fresh)].state, TD_BLOCK_FREE);
  cr_assert_eq(td_space_end_marking(&heap), 1, "the object of the block has died");
  cr_assert_eq(td_space_find(&heap, far + 1, TD_FROM_HEAP), far);
  heap_check(&heap);
}

SpaceTest(find, large_objects_and_the_rest_of_their_last_block) {
  size_t sizes[] = {TD_SMALL_BYTES_MAX + 1, TD_BLOCK_BYTES, TD_BLOCK_BYTES + 1, 3 * MIB - 5};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    uintptr_t object = (uintptr_t)heap_large(&heap, TIDE_LAYOUT_LEAF, sizes[i]);
    const struct td_view v = td_view_of(&heap);
    size_t rounded = (sizes[i] + 15) / 16 * 16;
    cr_assert_eq(td_space_object_bytes(&heap, object), rounded);
    for (size_t at = 0; at < rounded; at += at < 4096 ? 1 : 4093) {
      cr_assert_eq(td_space_find(&heap, object + at, TD_FROM_HEAP), object);
      cr_assert_eq(met_by(&v, object + at), object);
    }
    cr_assert_eq(td_space_find(&heap, object + rounded - 1, TD_FROM_HEAP), object);
    size_t whole = (rounded + TD_BLOCK_BYTES - 1) / TD_BLOCK_BYTES * TD_BLOCK_BYTES;
    for (size_t at = rounded; at < whole; at += TD_GRANULE_BYTES)
      cr_assert_eq(td_space_find(&heap, object + at, TD_FROM_HEAP), 0);
  }
}

/* One comparison tests range and alignment together. */
SpaceTest(find, only_aligned_words_of_the_range_are_references) {
  for (uintptr_t low = 0; low < 16; low++) {
    cr_assert_eq(td_granule_of(heap.base, heap.base + 4096 + low) < heap.granules, low == 0);
    cr_assert_eq(td_granule_of(heap.base, low) < heap.granules, false);
    cr_assert_eq(td_granule_of(heap.base, heap.base - 16 + low) < heap.granules, low == 16);
  }
  cr_assert_eq(td_granule_of(heap.base, heap.base + heap.reserved_bytes), heap.granules);
  cr_assert_eq(td_granule_of(heap.base, heap.base + heap.reserved_bytes - 16), heap.granules - 1);
}

/* What a block once held is forgotten: its bytes never pass for objects, neither while it is free
 * nor as the inside of a large object, however often epochs return. */
SpaceTest(find, old_bytes_never_pass_for_objects) {
  struct tide_bump bump = {0};
  const char *block = heap_alloc(&heap, &bump, TIDE_LAYOUT_LEAF, 1);
  while (heap_alloc(&heap, &bump, TIDE_LAYOUT_LEAF, 1) < (void *)(block + TD_BLOCK_BYTES))
    continue;
  heap_collect(&heap, &bump, NULL, 0, 1);
  for (unsigned used = 0; used < 2; used++) {
    void *large = used ? heap_large(&heap, TIDE_LAYOUT_LEAF, 3 * TD_BLOCK_BYTES) : NULL;
    if (used) cr_assert(large <= (void *)block, "the test is for its inside");
    for (unsigned cycle = 0; cycle < 2 * TD_EPOCH_LAST; cycle++) {
      td_space_begin_marking(&heap);
      const struct td_view v = td_view_of(&heap);
      for (size_t at = 0; at < TD_BLOCK_BYTES; at += TD_GRANULE_BYTES)
        if (block + at != large)
          cr_assert_eq(td_view_meet(&v, (uintptr_t)block + at), TD_MET_OTHER, "cycle %u", cycle);
      if (large) heap_mark(&heap, large);
      td_space_end_marking(&heap);
    }
  }
}
