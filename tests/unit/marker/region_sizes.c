/* SPDX-License-Identifier: MIT */
/* How many regions a heap has, how large they are, and how much memory waiting references may take:
 * for heaps from nothing to a quarter of a TiB, which are only numbers here. */
#include <criterion/criterion.h>

#include "marker/region/regions.h"

#define GIB ((uint64_t)1 << 30)
#define RANGE (256 * GIB)
enum { SHIFT_MOST = 20, REGIONS_MANY = 1024 };

static struct td_space space = {.granules = RANGE >> TD_GRANULE_LOG2,
                                .max_blocks = 8 * GIB >> TD_BLOCK_LOG2};
static struct td_regions *regions;

static void begin(uint64_t blocks, uint64_t used) {
  space.frontier = (uint32_t)blocks;
  space.used_blocks = (uint32_t)used;
  td_regions_begin(regions, &space);
}

static void open(void) {
  regions = td_regions_make(&space);
  cr_assert_not_null(regions);
}

static void end(void) {
  td_regions_free(regions);
}

TestSuite(region_sizes, .init = open, .fini = end);

Test(region_sizes, every_granule_below_the_frontier_has_a_region) {
  for (unsigned least = TD_BLOCK_GRANULES_LOG2; least <= SHIFT_MOST; least++)
    for (uint64_t blocks = 0; blocks <= RANGE >> TD_BLOCK_LOG2; blocks += 1 + blocks / 3) {
      regions->limits.shift_least = least;
      begin(blocks, 0);
      uint64_t granules = blocks << TD_BLOCK_GRANULES_LOG2;
      cr_assert(regions->shift >= least && regions->shift <= SHIFT_MOST);
      cr_assert_leq(regions->count, regions->room);
      cr_assert_gt(regions->count, granules ? (granules - 1) >> regions->shift : 0);
      cr_assert(regions->count <= REGIONS_MANY + 1 || regions->shift == SHIFT_MOST);
      bool larger_than_asked = regions->shift > least;
      cr_assert(!larger_than_asked || granules >> (regions->shift - 1) > REGIONS_MANY,
                "no larger than needed");
    }
}

Test(region_sizes, an_array_is_wide_in_a_heap_that_outgrows_the_cache) {
  cr_assert_eq(regions->limits.cached, td_plat_last_cache_bytes() / TD_GRANULE_BYTES);
  regions->limits.cached = (uint64_t)100 << TD_BLOCK_GRANULES_LOG2;
  begin(100, 0);
  cr_assert_eq(regions->wide_slots, UINT64_MAX);
  begin(101, 0);
  const uint64_t bytes = (uint64_t)101 << TD_BLOCK_LOG2;
  cr_assert_eq(regions->wide_slots * sizeof(uintptr_t), bytes / 32);
}

Test(region_sizes, the_pool_is_a_part_of_what_is_used_and_no_more_than_is_reserved) {
  size_t least = (4 << 20) / sizeof(struct td_chunk);
  static const uint64_t used_mib[] = {0, 1, 127, 128, 129, 4096, 8192, 1 << 20};
  for (size_t i = 0; i < sizeof used_mib / sizeof *used_mib; i++) {
    begin(1000, used_mib[i] << 20 >> TD_BLOCK_LOG2);
    uint64_t part = (used_mib[i] << 20) / 32 / sizeof(struct td_chunk);
    uint64_t expected = part < least ? least : part;
    if (expected > regions->pool.count) expected = regions->pool.count;
    cr_assert_eq(regions->pool.limit, expected, "%lu MiB", (unsigned long)used_mib[i]);
  }
  cr_assert_eq(regions->pool.count, (8 * GIB / 32 + (4 << 20)) / sizeof(struct td_chunk));
}
