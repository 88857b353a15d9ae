/* SPDX-License-Identifier: MIT */
/* Items of queues. That batches, groups and root slices lose nothing is for tests/marking. */
#include "marker/base/item.h"
#include "tests/unit/heap/common.h"

/* The last granule of the longest range there can be, and the last number. */
Test(items, slices_keep_their_two_numbers) {
  const uint64_t last = ((uint64_t)UINT32_MAX << TD_BLOCK_GRANULES_LOG2) + TD_BLOCK_GRANULES - 1;
  const uint64_t granules[] = {1, 4096, (uint64_t)1 << 36, ((uint64_t)1 << 40) + 4096, last};
  const uint64_t numbers[] = {1, 2, 3, 12345, ((uint64_t)1 << TD_ITEM_NUMBER_BITS) - 1};
  for (int g = 0; g < 5; g++)
    for (int i = 0; i < 5; i++) {
      uint64_t item = td_slice_item(granules[g], numbers[i]);
      cr_assert(item & TD_ITEM_SLICE);
      cr_assert_eq(td_item_granule(item), granules[g]);
      cr_assert_eq(td_item_number(item), numbers[i]);
    }
}
