/* SPDX-License-Identifier: MIT */
/* Memory that the system refuses to take back, because the program locked it: objects that are
 * allocated there later are zero all the same. */
#include <sys/mman.h>

#include "tests/unit/heap/common.h"

#define BYTES (5 * MIB) /* long enough for fresh pages instead of zeroing */

static struct td_space heap;

static void *filled(void) {
  void *object = heap_large(&heap, TIDE_LAYOUT_LEAF, BYTES);
  cr_assert_not_null(object);
  cr_assert(is_zero(object, BYTES));
  return memset(object, 0xcc, BYTES);
}

/* Frees an object whose pages are locked, or skips the test where this process may not lock any. */
static void lock_and_free(void *object) {
  if (mlock(object, BYTES) != 0) cr_skip_test("this process may not lock memory");
  heap_keep(&heap, NULL, 0, 1);
}

SpaceTest(locked, objects_are_zero_again) {
  lock_and_free(filled());
  lock_and_free(filled());
  struct tide_bump bump = {0};
  for (size_t i = 0; i < 2 * BYTES / 512; i++) {
    void *small = heap_alloc(&heap, &bump, TIDE_LAYOUT_LEAF, 32);
    cr_assert(small && is_zero(small, 512), "small object %zu", i);
  }
  td_space_retire(&heap, &bump);
  heap_check(&heap);
}
