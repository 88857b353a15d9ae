/* SPDX-License-Identifier: MIT */
/* What LIFO BWoS promises beyond the contract: limits, early grants, batches. */
#include <criterion/criterion.h>

#include "marker/queue/bwos.h"

static struct td_bwos q;
static struct td_bwos_owner o;
static _Alignas(TD_CACHE_LINE) unsigned char storage[8192];

static void make(uint32_t blocks, uint32_t entries) {
  cr_assert_leq(td_bwos_storage_bytes(blocks, entries), sizeof storage);
  td_bwos_init(&q, &o, storage, blocks, entries);
}

Test(queue_bwos, needs_two_blocks_of_two_items_and_indices_that_fit_the_word) {
  cr_expect_eq(td_bwos_storage_bytes(1, 4), 0);
  cr_expect_eq(td_bwos_storage_bytes(4, 1), 0);
  cr_expect_eq(td_bwos_storage_bytes(2, 2 * TIDE_BWOS_ENTRIES_MAX), 0);
  cr_expect_neq(td_bwos_storage_bytes(2, TIDE_BWOS_ENTRIES_MAX), 0);
}

Test(queue_bwos, grants_the_older_half_on_a_wish) {
  make(4, 16);
  uint64_t out[16];
  for (uint64_t item = 1; item <= 8; item++)
    td_bwos_put(&q, &o, item);
  cr_assert_eq(td_bwos_steal(&q, out, 16), 0, "a block that is not full is private");
  td_bwos_want(&q);
  cr_assert(td_bwos_wanted(&q));
  td_bwos_grant(&q, &o);
  cr_assert_not(td_bwos_wanted(&q));
  cr_assert_eq(td_bwos_size(&q), 4);
  cr_assert_eq(td_bwos_steal(&q, out, 16), 4);
  for (uint64_t item = 1; item <= 4; item++)
    cr_assert_eq(out[item - 1], item);
  cr_assert_eq(td_bwos_steal(&q, out, 16), 0, "used up, but the block lives on");
  td_bwos_grant(&q, &o);
  cr_assert_eq(td_bwos_steal(&q, out, 1), 1);
  cr_assert_eq(out[0], 5);
  for (uint64_t item = 8; item >= 6; item--)
    cr_assert_eq(td_bwos_get(&q, &o), item);
  cr_assert_eq(td_bwos_get(&q, &o), 0);
  td_bwos_put(&q, &o, 9);
  td_bwos_want(&q);
  td_bwos_grant(&q, &o);
  cr_assert(td_bwos_wanted(&q), "one item is not shared, and the wish stays");
}

Test(queue_bwos, claims_at_most_a_batch) {
  make(4, 128);
  uint64_t out[128];
  for (uint64_t item = 1; item <= 129; item++)
    td_bwos_put(&q, &o, item);
  cr_assert_eq(td_bwos_steal(&q, out, 128), TIDE_BWOS_BATCH);
  cr_assert_eq(td_bwos_steal(&q, out, 3), 3);
  cr_assert_eq(out[0], TIDE_BWOS_BATCH + 1);
}
