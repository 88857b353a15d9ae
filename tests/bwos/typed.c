/* SPDX-License-Identifier: MIT */
/* What the typed queues of tide/bwos.h promise: sizes of items, results, sharing, bad input. */
#include <criterion/criterion.h>

#include "tide/bwos.h"

struct odd {
  unsigned char at[13];
};
struct line {
  uint64_t at[8];
};
TIDE_BWOS_DEFINE(bytes, unsigned char);
TIDE_BWOS_DEFINE(odds, struct odd);
TIDE_BWOS_DEFINE(lines, struct line);
TIDE_BWOS_FIFO_DEFINE(odd_fifo, struct odd);
TIDE_BWOS_FIFO_DEFINE(line_fifo, struct line);

static _Alignas(64) unsigned char storage[16384];
static struct bytes b;
static struct bytes_owner bo;

static void make(uint32_t blocks, uint32_t entries) {
  cr_assert_null(bytes_make(&b, &bo, storage, sizeof storage, blocks, entries));
}

static struct odd odd_of(unsigned n) {
  struct odd item;
  for (unsigned i = 0; i < sizeof item.at; i++)
    item.at[i] = (unsigned char)(n * 7 + i);
  return item;
}

Test(bwos, keeps_items_of_any_size) {
  struct odds q;
  struct odds_owner o;
  struct lines l;
  struct lines_owner lo;
  cr_assert_null(odds_make(&q, &o, storage, sizeof storage, 4, 8));
  for (unsigned i = 0; i < 32; i++)
    cr_assert(odds_put(&q, &o, odd_of(i)));
  cr_assert_not(odds_put(&q, &o, odd_of(32)), "full");
  struct odd out[32];
  cr_assert_eq(odds_steal(&q, out, 3), 3);
  for (unsigned i = 0; i < 3; i++)
    cr_assert_arr_eq(out[i].at, odd_of(i).at, sizeof out[i].at);
  for (unsigned i = 31; i >= 3; i--) {
    cr_assert(odds_get(&q, &o, out));
    cr_assert_arr_eq(out[0].at, odd_of(i).at, sizeof out[0].at);
  }
  cr_assert_not(odds_get(&q, &o, out), "empty");
  cr_assert_null(lines_make(&l, &lo, storage, sizeof storage, 2, 64));
  for (uint64_t i = 0; i < 128; i++)
    cr_assert(lines_put(&l, &lo, (struct line){{i, ~i, i, ~i, i, ~i, i, i + 1}}));
  struct line got;
  for (uint64_t i = 127; i < 128; i--) {
    cr_assert(lines_get(&l, &lo, &got));
    cr_assert(got.at[0] == i && got.at[1] == ~i && got.at[7] == i + 1);
  }
}

Test(bwos, fifo_gives_the_oldest) {
  struct odd_fifo q;
  struct odd_fifo_owner o;
  cr_assert_null(odd_fifo_make(&q, &o, storage, sizeof storage, 4, 4));
  for (unsigned round = 0; round < 9; round++) {
    struct odd out;
    for (unsigned i = 0; i < 11; i++)
      cr_assert(odd_fifo_put(&q, &o, odd_of(i)));
    for (unsigned i = 0; i < 11; i++) {
      cr_assert(odd_fifo_get(&q, &o, &out));
      cr_assert_arr_eq(out.at, odd_of(i).at, sizeof out.at);
    }
    cr_assert_not(odd_fifo_get(&q, &o, &out));
  }
}

Test(bwos, shares_by_itself) {
  unsigned char out[4];
  make(4, 16);
  cr_assert_eq(bytes_steal(&b, out, 4), TIDE_BWOS_NOTHING, "and a wish stays");
  cr_assert(bytes_put(&b, &bo, 1));
  cr_assert_eq(bytes_steal(&b, out, 4), 1, "the next put shares, even a single item");
  cr_assert_eq(out[0], 1);
  cr_assert_not(bytes_get(&b, &bo, out));
  for (unsigned char i = 2; i < 8; i++)
    cr_assert(bytes_put(&b, &bo, i));
  cr_assert_eq(bytes_steal(&b, out, 1), TIDE_BWOS_NOTHING);
  cr_assert(bytes_get(&b, &bo, out));
  cr_assert_eq(out[0], 7);
  cr_assert_eq(bytes_steal(&b, out, 4), 3, "the next get shares half of what is left");
  cr_assert_eq(out[2], 4);
  cr_assert_eq(bytes_steal(&b, out, 1), TIDE_BWOS_NOTHING);
  bytes_poll(&b, &bo);
  cr_assert_eq(bytes_steal(&b, out, 1), 1);
  cr_assert_eq(bytes_steal(&b, out, 0), TIDE_BWOS_NOTHING);
  cr_assert_not(bytes_wanted(&b), "nobody wished for nothing");
}

Test(bwos, a_block_that_is_shared_item_by_item_does_not_end_sharing) {
  unsigned char out[4];
  make(2, 4);
  for (unsigned char i = 0; i < 100; i++) {
    cr_assert(bytes_put(&b, &bo, i));
    tide_bwos_taken taken = bytes_steal(&b, out, 4);
    if (taken == TIDE_BWOS_NOTHING) {
      bytes_poll(&b, &bo);
      taken = bytes_steal(&b, out, 4);
    }
    while (taken == TIDE_BWOS_AGAIN)
      taken = bytes_steal(&b, out, 4);
    cr_assert_eq(taken, 1);
    cr_assert_eq(out[0], i);
  }
}

Test(bwos, fifo_shares_by_itself) {
  struct line_fifo q;
  struct line_fifo_owner o;
  struct line out;
  cr_assert_null(line_fifo_make(&q, &o, storage, sizeof storage, 4, 4));
  cr_assert_eq(line_fifo_steal(&q, &out, 1), TIDE_BWOS_NOTHING);
  cr_assert(line_fifo_put(&q, &o, (struct line){{1}}));
  cr_assert_eq(line_fifo_steal(&q, &out, 1), 1);
  cr_assert_eq(out.at[0], 1);
  cr_assert_not(line_fifo_get(&q, &o, &out));
}

static void fill_fifo(struct odd_fifo *q, struct odd_fifo_owner *o, uint32_t blocks,
                      uint32_t entries, unsigned items) {
  cr_assert_null(odd_fifo_make(q, o, storage, sizeof storage, blocks, entries));
  for (unsigned i = 0; i < items; i++)
    cr_assert(odd_fifo_put(q, o, odd_of(i)));
}

/* Thieves never take from the get block, so it alone keeps the ring from turning. */
Test(bwos, fifo_has_room_again_once_gets_pass_the_oldest_block) {
  struct odd_fifo q;
  struct odd_fifo_owner o;
  struct odd out[16];
  fill_fifo(&q, &o, 4, 4, 16);
  for (unsigned i = 0; i < 2; i++)
    cr_assert_eq(odd_fifo_steal(&q, out, 16), 4);
  cr_assert_eq(odd_fifo_steal(&q, out, 16), TIDE_BWOS_NOTHING, "the first and last are private");
  for (unsigned i = 0; i < 4; i++) {
    cr_assert_not(odd_fifo_put(&q, &o, odd_of(16)), "full, though thieves took half");
    cr_assert(odd_fifo_get(&q, &o, out));
    cr_assert_arr_eq(out[0].at, odd_of(i).at, sizeof out[0].at);
  }
  cr_assert(odd_fifo_get(&q, &o, out));
  cr_assert_arr_eq(out[0].at, odd_of(12).at, sizeof out[0].at);
  for (unsigned i = 0; i < 12; i++)
    cr_assert(odd_fifo_put(&q, &o, odd_of(i)));
  cr_assert_not(odd_fifo_put(&q, &o, odd_of(12)));
}

Test(bwos, fifo_tells_what_of_its_oldest_block_thieves_could_take) {
  struct odd_fifo q;
  struct odd_fifo_owner o;
  struct odd out[32];
  fill_fifo(&q, &o, 4, 64, 40);
  cr_assert_eq(odd_fifo_size(&q), 0, "all private");
  cr_assert_eq(odd_fifo_steal(&q, out, 32), TIDE_BWOS_NOTHING);
  odd_fifo_poll(&q, &o);
  cr_assert_eq(odd_fifo_size(&q), 20);
  cr_assert_eq(odd_fifo_steal(&q, out, 32), 20);
  cr_assert_eq(odd_fifo_size(&q), 0);
}

/* Each steal looks at four blocks, wherever the last thief stopped. */
Test(bwos, fifo_thieves_see_all_blocks_in_turn) {
  struct odd_fifo q;
  struct odd_fifo_owner o;
  struct odd out[2];
  fill_fifo(&q, &o, 64, 2, 128);
  unsigned taken = 0;
  for (unsigned nothing = 0; nothing < 64 / 4;) {
    tide_bwos_taken got = odd_fifo_steal(&q, out, 2);
    nothing = got > 0 ? 0 : nothing + 1;
    taken += got > 0 ? (unsigned)got : 0;
  }
  cr_assert_eq(taken, 124, "all but the first and last block");
}

Test(bwos, expert_form_shares_when_told) {
  unsigned char out[4];
  make(4, 16);
  bytes_want(&b);
  cr_assert(bytes_put_only(&b, &bo, 1));
  bytes_grant(&b, &bo);
  cr_assert_eq(bytes_steal_only(&b, out, 4), TIDE_BWOS_NOTHING, "one item is not shared");
  cr_assert(bytes_wanted(&b));
  cr_assert(bytes_put_only(&b, &bo, 2));
  cr_assert_eq(bytes_owned(&bo), 2);
  bytes_grant(&b, &bo);
  cr_assert_eq(bytes_size(&b), 1);
  cr_assert_eq(bytes_steal_only(&b, out, 4), 1);
}

Test(bwos, bad_input_is_refused_and_touches_nothing) {
  static const uint32_t bad[][2] = {{0, 4}, {4, 0},    {1, 4},          {4, 1},         {3, 4},
                                    {4, 6}, {4, 8192}, {UINT32_MAX, 4}, {4, UINT32_MAX}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    cr_expect_eq(bytes_storage_bytes(bad[i][0], bad[i][1]), 0);
    const char *wrong = bytes_make(&b, &bo, storage, sizeof storage, bad[i][0], bad[i][1]);
    cr_assert_not_null(wrong);
    cr_expect_not_null(strstr(wrong, "powers of two"));
  }
  cr_expect_neq(bytes_storage_bytes(UINT32_C(1) << 31, 4096), 0, "large, but no overflow");
  size_t needed = bytes_storage_bytes(4, 16);
  cr_expect_not_null(bytes_make(&b, &bo, storage + 8, needed, 4, 16), "misaligned storage");
  cr_expect_not_null(bytes_make(&b, &bo, storage, needed - 1, 4, 16), "too small");
  cr_expect_not_null(bytes_make(&b, &bo, NULL, needed, 4, 16));
  cr_expect_not_null(bytes_make(NULL, &bo, storage, needed, 4, 16));
  cr_expect_not_null(bytes_make(&b, NULL, storage, needed, 4, 16));
  struct bytes *misaligned = (struct bytes *)(void *)(storage + 8);
  cr_expect_not_null(bytes_make(misaligned, &bo, storage, needed, 4, 16));
  cr_expect_null(bytes_make(&b, &bo, storage, needed, 4, 16));
}
