/* SPDX-License-Identifier: MIT */
/* Medium objects: packed into spans, zeroed, found from any address inside, reused. */
#include "heap/cells/medium.h"

#include "tests/random.h"
#include "tests/unit/heap/common.h"

static struct td_space heap;

static void *medium(tide_layout layout, size_t bytes) {
  return td_space_alloc_medium(&heap, layout, bytes);
}

Test(medium, classes_hold_what_they_are_for_and_waste_an_eighth_at_most) {
  for (size_t bytes = TD_SMALL_BYTES_MAX + 1; bytes <= TD_MEDIUM_BYTES_MAX; bytes++) {
    unsigned c = td_medium_class(bytes);
    cr_assert_lt(c, TD_MEDIUM_CLASSES);
    cr_assert_geq(td_medium_bytes(c), bytes);
    cr_assert(c == 0 || td_medium_bytes(c - 1) < bytes);
    cr_assert_leq((double)td_medium_bytes(c), 1.126 * (double)bytes);
  }
}

SpaceTest(medium, first_objects_of_a_kind_make_no_span) {
  for (int i = 0; i < 16; i++)
    cr_assert_null(medium(TIDE_LAYOUT_LEAF, 33000));
  cr_assert_eq(heap.used_blocks, 0);
  cr_assert_not_null(medium(TIDE_LAYOUT_LEAF, 33000));
  cr_assert_null(medium(TIDE_LAYOUT_REFS, 33000), "another layout is another kind");
  heap_check(&heap);
}

SpaceTestOf(512 * MIB, medium, objects_are_packed) {
  size_t sizes[] = {33000, 50000, 66000, 100000, 140000, 300000};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    for (int i = 0; i < 16; i++)
      (void)medium(TIDE_LAYOUT_LEAF, sizes[s]);
    heap_keep(&heap, NULL, 0, 1);
    size_t count = 480;
    for (size_t i = 0; i < count; i++)
      cr_assert_not_null(medium(TIDE_LAYOUT_LEAF, sizes[s]));
    double ratio = (double)heap.used_blocks * TD_BLOCK_BYTES / (double)(count * sizes[s]);
    cr_assert_leq(ratio, 1.15, "%zu bytes take %.3f times as much", sizes[s], ratio);
    heap_check(&heap);
    cr_assert_gt(heap_keep(&heap, NULL, 0, 1), 0);
    cr_assert_eq(heap.used_blocks, 0);
  }
}

/* Objects live, die and are freed at random. Each is filled with its own byte; nobody else's memory
 * is touched, memory is zero when handed out, and visits find exactly those that are there. */
SpaceTestOf(256 * MIB, medium, cells_are_reused_and_nobody_elses) {
  enum { OBJECTS = 400 };
  static void *objects[OBJECTS];
  static size_t sizes[OBJECTS];
  uint32_t x = 2463534242u;
  for (int round = 0; round < 12; round++) {
    size_t live = 0;
    for (int i = 0; i < OBJECTS; i++) {
      random_next(&x);
      unsigned char *old = objects[i];
      if (old) {
        cr_assert_eq(old[0], i % 251 + 1);
        cr_assert_eq(old[sizes[i] - 1], i % 251 + 1);
        if (x % 3 == 0) td_space_free_medium(&heap, (uintptr_t)old);
        if (x % 3) continue;
      }
      sizes[i] = 32769 + x % 3 * 30000 + x % 5;
      objects[i] = medium(TIDE_LAYOUT_LEAF, sizes[i]);
      if (!objects[i]) continue;
      cr_assert(is_zero(objects[i], sizes[i]));
      memset(objects[i], i % 251 + 1, sizes[i]);
    }
    void *kept[OBJECTS];
    for (int i = 0; i < OBJECTS; i++) {
      random_next(&x);
      if (x % 4 == 0) objects[i] = NULL;
      if (objects[i]) kept[live++] = objects[i];
    }
    heap_keep(&heap, kept, live, 1);
    uint64_t seen = 0;
    td_space_each_object(&heap, heap_count, &seen);
    cr_assert_eq(seen, live);
    cr_assert_eq(heap.live_objects, live);
  }
  heap_keep(&heap, NULL, 0, 1);
  cr_assert_eq(heap.used_blocks, 0);
}
