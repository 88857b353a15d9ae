/* SPDX-License-Identifier: MIT */
/* Size classes: every size, every alignment. */
#include "tests/unit/heap/common.h"

Test(size_class, every_size_has_the_smallest_class_that_holds_it) {
  for (size_t bytes = 1; bytes <= TD_SMALL_BYTES_MAX; bytes++) {
    unsigned c = td_class_of(bytes);
    cr_assert(c >= 1 && c < TD_CLASSES, "%zu bytes: class %u", bytes, c);
    cr_assert_geq(td_class_bytes(c), bytes);
    cr_assert(c == 1 || td_class_bytes(c - 1) < bytes, "%zu bytes: class %u is too large", bytes,
              c);
  }
}

Test(size_class, classes_grow_by_granules_and_waste_at_most_a_fifth) {
  for (unsigned c = 1; c < TD_CLASSES; c++) {
    cr_assert_eq(td_class_bytes(c) % TD_GRANULE_BYTES, 0);
    cr_assert_eq(td_class_of(td_class_bytes(c)), c);
    if (c == 1) continue;
    size_t before = td_class_bytes(c - 1), bytes = td_class_bytes(c);
    cr_assert_gt(bytes, before);
    cr_assert(bytes - before == TD_GRANULE_BYTES || (bytes - before - 1) * 5 <= bytes);
  }
  cr_assert_eq(td_class_bytes(TD_CLASSES - 1), TD_SMALL_BYTES_MAX);
  cr_assert_lt(TD_CLASSES, TIDE_BUMP_SLOTS);
}

/* The public header computes these classes itself. */
Test(size_class, inlined_allocation_and_classes_agree) {
  for (size_t bytes = 1; bytes <= TIDE_BUMP_INLINE_BYTES; bytes++)
    cr_assert_eq(td_class_of(bytes), (bytes + 15) / 16);
}

Test(size_class, aligned_classes_are_aligned_and_the_smallest) {
  for (size_t alignment = 1; alignment <= TD_SMALL_BYTES_MAX; alignment *= 2)
    for (size_t bytes = 1; bytes <= TD_SMALL_BYTES_MAX; bytes += 1 + bytes / 37) {
      unsigned c = td_class_aligned(bytes, alignment);
      cr_assert(c != 0, "%zu bytes at %zu", bytes, alignment);
      cr_assert_geq(td_class_bytes(c), bytes);
      cr_assert_eq(td_class_bytes(c) % alignment, 0);
      for (unsigned smaller = td_class_of(bytes); smaller < c; smaller++)
        cr_assert_neq(td_class_bytes(smaller) % alignment, 0);
    }
  cr_assert_eq(td_class_aligned(16, TD_BLOCK_BYTES), 0, "no class is a whole block");
}
