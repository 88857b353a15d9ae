/* SPDX-License-Identifier: MIT */
/* How many regions a heap has, how large they are, and how much memory waiting references may take:
 * for heaps from nothing to a quarter of a TiB, which are only numbers here. */
#include <criterion/criterion.h>

#include "marker/region/regions.h"

#define GIB ((uint64_t)1 << 30)
#define RANGE (256 * GIB)
enum { USUAL_SHIFT = 17, SHIFT_MOST = 20, REGIONS_MANY = 1024 };

static struct td_space space = {.granules = RANGE >> TD_GRANULE_LOG2,
                                .max_blocks = 8 * GIB >> TD_BLOCK_LOG2};
static struct td_regions *regions;
static unsigned markers = 1;

static void begin(uint64_t blocks, uint64_t used, uint64_t cycle) {
  space.frontier = (uint32_t)blocks;
  space.used_blocks = (uint32_t)used;
  td_regions_begin(regions, &space, &(struct td_regions_task){.cycle = cycle, .markers = markers});
}

static void open(void) {
  regions = td_regions_make(&space);
  cr_assert_not_null(regions);
}

Test(region_sizes, every_granule_below_the_frontier_has_a_region) {
  open();
  for (unsigned least = TD_BLOCK_GRANULES_LOG2; least <= SHIFT_MOST; least++)
    for (uint64_t blocks = 0; blocks <= RANGE >> TD_BLOCK_LOG2; blocks += 1 + blocks / 3) {
      regions->limits.shift_least = least;
      begin(blocks, 0, 1);
      uint64_t granules = blocks << TD_BLOCK_GRANULES_LOG2;
      cr_assert(regions->shift >= least && regions->shift <= SHIFT_MOST);
      cr_assert_leq(regions->count, regions->room);
      cr_assert_gt(regions->count, granules ? (granules - 1) >> regions->shift : 0);
      cr_assert(regions->count <= REGIONS_MANY + 1 || regions->shift == SHIFT_MOST);
      bool larger_than_asked = regions->shift > least;
      cr_assert(!larger_than_asked || granules >> (regions->shift - 1) > REGIONS_MANY,
                "no larger than needed");
    }
  td_regions_free(regions);
}

Test(region_sizes, a_small_heap_is_not_marked_by_regions) {
  open();
  uint64_t region_blocks = (uint64_t)1 << (USUAL_SHIFT - TD_BLOCK_GRANULES_LOG2);
  begin(14 * region_blocks, 0, 1);
  cr_assert_not(td_regions_pay(regions));
  begin(15 * region_blocks, 0, 1);
  cr_assert(td_regions_pay(regions));
  td_regions_free(regions);
}

/* Several markers would pass marks from core to core: they have smaller regions rather than none.
 */
Test(region_sizes, several_markers_visit_small_regions_in_small_heaps) {
  open();
  for (uint64_t mib = 1; mib <= 64; mib++) {
    uint64_t blocks = mib << 20 >> TD_BLOCK_LOG2;
    markers = 2;
    begin(blocks, 0, 1);
    cr_expect_not(td_regions_pay(regions) && mib < 30, "until they have been tried");
    atomic_store(&regions->trial->on, 1);
    uint64_t region_bytes = (uint64_t)TD_GRANULE_BYTES << regions->shift;
    cr_expect_eq(td_regions_pay(regions), mib >= 4, "%lu MiB", (unsigned long)mib);
    cr_expect(region_bytes == 2 << 20 || regions->count < 32, "no smaller than needed");
    cr_expect_geq(region_bytes, 256 << 10);
    markers = 1;
    begin(blocks, 0, 1);
    cr_expect_eq(regions->shift, USUAL_SHIFT, "one has regions of the usual size");
  }
  td_regions_free(regions);
}

/* Returns whether visits were allowed in a collection that takes `with` ns then, else `without`. */
static bool collect_either(uint64_t blocks, uint64_t without, uint64_t with) {
  begin(blocks, 0, 1);
  bool visits = td_regions_pay(regions);
  td_regions_end(regions, &(struct td_trial_facts){
                              .ns = visits ? with : without, .objects = 1 << 20, .used = visits});
  return visits;
}

Test(region_sizes, a_heap_of_few_regions_is_tried_without_visits_and_a_large_one_is_not) {
  open();
  uint64_t region_blocks = (uint64_t)1 << (USUAL_SHIFT - TD_BLOCK_GRANULES_LOG2);
  for (unsigned i = 0; i < 10; i++)
    cr_assert(collect_either(200 * region_blocks, 2000, 1000));
  cr_assert(collect_either(100 * region_blocks, 2000, 1000));
  cr_assert_not(collect_either(100 * region_blocks, 2000, 1000));
  cr_assert(collect_either(100 * region_blocks, 2000, 1000), "visits were faster");
  td_regions_free(regions);
}

/* With one marker visits take twice as long as marking without them, with two half as long. Two are
 * always faster than one, and that says nothing of visits. */
Test(region_sizes, what_one_marker_tried_is_not_held_against_several) {
  open();
  uint64_t blocks = 100 * ((uint64_t)1 << (USUAL_SHIFT - TD_BLOCK_GRANULES_LOG2));
  unsigned alone = 0, together = 0;
  for (unsigned turn = 0; turn < 100; turn++) {
    markers = 1;
    alone += collect_either(blocks, 1000, 2000);
    markers = 2;
    together += collect_either(blocks, 500, 250);
  }
  cr_assert_leq(alone, 10, "visited %u times of 100", alone);
  cr_assert_geq(together, 90, "visited %u times of 100", together);
  td_regions_free(regions);
}

Test(region_sizes, the_pool_is_a_part_of_what_is_used_and_no_more_than_is_reserved) {
  open();
  size_t least = (4 << 20) / sizeof(struct td_chunk);
  static const uint64_t used_mib[] = {0, 1, 127, 128, 129, 4096, 8192, 1 << 20};
  for (size_t i = 0; i < sizeof used_mib / sizeof *used_mib; i++) {
    begin(1000, used_mib[i] << 20 >> TD_BLOCK_LOG2, 1);
    uint64_t part = (used_mib[i] << 20) / 32 / sizeof(struct td_chunk);
    uint64_t expected = part < least ? least : part;
    if (expected > regions->pool.count) expected = regions->pool.count;
    cr_assert_eq(regions->pool.limit, expected, "%lu MiB", (unsigned long)used_mib[i]);
  }
  cr_assert_eq(regions->pool.count, (8 * GIB / 32 + (4 << 20)) / sizeof(struct td_chunk));
  td_regions_free(regions);
}

/* With sixteen markers nobody visits, however large the heap. */
Test(region_sizes, many_markers_do_not_visit) {
  open();
  const uint64_t blocks = 8 * GIB >> TD_BLOCK_LOG2;
  for (markers = 1; markers <= 256; markers++) {
    begin(blocks, blocks, 1);
    cr_assert_eq(td_regions_pay(regions), markers < 16, "%u markers", markers);
    cr_assert_eq(regions->pool.limit, 8 * GIB / 32 / sizeof(struct td_chunk));
  }
  td_regions_free(regions);
}
