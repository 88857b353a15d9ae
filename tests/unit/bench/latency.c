/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include "bench/gcbench/latency.h"

#include <stdlib.h>

Test(latency, buckets_follow_each_other) {
  cr_assert_eq(td_latency_bucket(0), 0);
  for (unsigned bucket = 0; bucket + 1 < TD_LATENCY_BUCKETS; bucket++) {
    uint64_t longest = td_latency_longest(bucket);
    cr_assert_eq(td_latency_bucket(longest), bucket, "bucket %u", bucket);
    cr_assert_eq(td_latency_bucket(longest + 1), bucket + 1, "bucket %u", bucket);
  }
  cr_assert_eq(td_latency_bucket(UINT64_MAX), TD_LATENCY_BUCKETS - 1);
  cr_assert_eq(td_latency_longest(TD_LATENCY_BUCKETS - 1), UINT64_MAX);
}

Test(latency, no_bucket_is_wider_than_a_64th) {
  for (unsigned bucket = 1; bucket < TD_LATENCY_BUCKETS; bucket++) {
    uint64_t shortest = td_latency_longest(bucket - 1) + 1;
    uint64_t width = td_latency_longest(bucket) - shortest + 1;
    cr_assert(width <= 1 || width <= shortest / 64, "bucket %u", bucket);
  }
}

Test(latency, percentiles_of_small_times_are_exact) {
  static struct td_latency latency;
  cr_assert_eq(td_latency_count(&latency), 0);
  cr_assert_eq(td_latency_all_but(&latency, 0), 0, "nothing took no time");
  for (unsigned ns = 100; ns > 0; ns--)
    td_latency_add(&latency, ns);
  cr_assert_eq(td_latency_count(&latency), 100);
  for (unsigned beyond = 0; beyond < 100; beyond++)
    cr_assert_eq(td_latency_all_but(&latency, beyond), 100 - beyond);
  cr_assert_eq(td_latency_all_but(&latency, 100), 0, "none did not exceed less than all");
}

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

Test(latency, merged_halves_are_the_whole) {
  enum { COUNT = 5000 };
  static uint64_t all[COUNT];
  static struct td_latency halves[2];
  uint64_t state = 88172645463325252u;
  for (unsigned i = 0; i < COUNT; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    all[i] = state >> 20 >> (state % 40);
    td_latency_add(&halves[i % 2], all[i]);
  }
  td_latency_merge(&halves[0], &halves[1]);
  qsort(all, COUNT, sizeof *all, compare);
  cr_assert_eq(td_latency_count(&halves[0]), COUNT);
  cr_assert_eq(halves[0].max_ns, all[COUNT - 1]);
  cr_assert_eq(td_latency_all_but(&halves[0], 0), all[COUNT - 1]);
  for (unsigned beyond = 0; beyond < COUNT; beyond += 7) {
    uint64_t exact = all[COUNT - 1 - beyond], told = td_latency_all_but(&halves[0], beyond);
    cr_assert(exact <= told && told - exact <= exact / 64, "all but %u", beyond);
  }
}
