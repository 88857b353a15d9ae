/* SPDX-License-Identifier: MIT */
/* The parts of marking by regions, each alone. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "marker/region/chunks.h"
#include "marker/region/fresh.h"
#include "tests/scoped.h"

#define SCOPED_CHUNKS SCOPED(td_chunks_close) struct td_chunks

static struct td_chunks open_chunks(size_t reserved, size_t allowed) {
  struct td_chunks pool = {0};
  cr_assert(td_chunks_open(&pool, reserved * sizeof(struct td_chunk)));
  td_chunks_begin(&pool, allowed * sizeof(struct td_chunk));
  return pool;
}

/* Gets chunks until there are none; returns how many. Each is another one and can be written. */
static size_t get_all(struct td_chunks *pool, struct td_stock *stock, uint32_t *numbers,
                      size_t room) {
  size_t count = 0;
  for (uint32_t number; (number = td_chunks_get(pool, stock)) != 0; count++) {
    cr_assert_lt(count, room);
    cr_assert_lt(number, pool->limit);
    for (size_t i = 0; i < count; i++)
      cr_assert_neq(numbers[i], number);
    pool->at[number].next = number;
    cr_assert_eq(td_chunks_number(pool, &pool->at[number]), number);
    numbers[count] = number;
  }
  return count;
}

static void put_all(struct td_chunks *pool, struct td_stock *stock, const uint32_t *numbers,
                    size_t count) {
  for (size_t i = 0; i < count; i++)
    td_chunks_put(pool, stock, numbers[i]);
}

static uint32_t balance_of(struct td_stock *stock) {
  return atomic_load(&stock->balance);
}

Test(chunks, number_zero_is_never_given_and_the_limit_holds) {
  uint32_t numbers[300];
  for (size_t allowed = 0; allowed < 30; allowed++) {
    SCOPED_CHUNKS pool = open_chunks(300, allowed);
    struct td_stock stock = {0};
    size_t most = allowed ? allowed - 1 : 0;
    cr_assert_eq(get_all(&pool, &stock, numbers, 300), most);
    cr_assert_eq(balance_of(&stock), most);
    cr_assert_eq(td_chunks_used_bytes(&pool), most ? allowed * sizeof(struct td_chunk) : 0);
    cr_assert_eq(td_chunks_get(&pool, &stock), 0, "it stays exhausted");
    cr_assert_eq(balance_of(&stock), most, "a refusal does not count");
  }
}

Test(chunks, no_more_are_used_than_are_reserved) {
  uint32_t numbers[300];
  SCOPED_CHUNKS pool = open_chunks(20, 300);
  struct td_stock stock = {0};
  cr_assert_eq(get_all(&pool, &stock, numbers, 300), 19);
}

Test(chunks, a_marker_gives_away_what_it_has_too_many_of) {
  uint32_t numbers[300], others[300];
  SCOPED_CHUNKS pool = open_chunks(300, 250);
  struct td_stock one = {0}, other = {0};
  cr_assert_eq(get_all(&pool, &one, numbers, 300), 249);
  cr_assert_eq(td_chunks_get(&pool, &other), 0);
  put_all(&pool, &one, numbers, 249);
  size_t got = get_all(&pool, &other, others, 300);
  cr_assert_gt(got, 249 - 64 - 1, "one kept %zu", 249 - got);
  cr_assert_eq(get_all(&pool, &one, numbers, 300), 249 - got);
  cr_assert_eq(balance_of(&one) + balance_of(&other), 249, "one put what the other got");
}

Test(chunks, who_takes_the_common_list_leaves_most_of_it) {
  uint32_t numbers[1000], others[1000];
  SCOPED_CHUNKS pool = open_chunks(1000, 1000);
  struct td_stock one = {0}, two = {0}, three = {0};
  cr_assert_eq(get_all(&pool, &one, numbers, 1000), 999);
  put_all(&pool, &one, numbers, 999);
  cr_assert_neq(td_chunks_get(&pool, &two), 0);
  cr_assert_geq(get_all(&pool, &three, others, 1000), 999 - 2 * 64 - 1);
}

Test(chunks, a_collection_begins_with_all_chunks) {
  uint32_t numbers[100];
  SCOPED_CHUNKS pool = open_chunks(100, 50);
  struct td_stock stock = {0};
  cr_assert_eq(get_all(&pool, &stock, numbers, 100), 49);
  td_chunks_begin(&pool, 80 * sizeof(struct td_chunk));
  cr_assert_eq(td_chunks_used_bytes(&pool), 0);
  stock = (struct td_stock){0};
  cr_assert_eq(get_all(&pool, &stock, numbers, 100), 79);
}

Test(region, the_largest_numbers_disturb_neither_count_nor_owner) {
  struct td_chunk chunk;
  struct td_region region = {0};
  uint64_t many = 0x7ffffffeu * TD_REGION_CHUNK + UINT32_MAX;
  atomic_store(&region.word, many | TD_REGION_OWNED);
  td_region_push(&region, &chunk, UINT32_MAX - 1);
  cr_assert_eq(chunk.next, UINT32_MAX);
  uint64_t word = td_region_look(&region);
  cr_assert_eq(word, UINT64_MAX - 1);
  cr_assert(td_region_is_owned(word));
  cr_assert_eq(td_region_waiting(word), 0x7fffffff);
  cr_assert_eq(td_region_take(&region), UINT32_MAX - 1);
}

enum { PARTS = 4, GRANULES = PARTS << TD_FRESH_PART };
static uint64_t fresh[GRANULES / 64], summary[PARTS];
static uint32_t list[1 << TD_FRESH_PART];

static size_t listed(uint32_t part) {
  return (size_t)(td_fresh_list(fresh, summary, part, list) - list);
}

static void check_empty(void) {
  for (size_t i = 0; i < GRANULES / 64; i++)
    cr_assert_eq(fresh[i], 0);
  for (size_t i = 0; i < PARTS; i++)
    cr_assert_eq(summary[i], 0);
}

Test(fresh, objects_come_in_the_order_of_their_addresses_and_once) {
  static const uint32_t found[] = {4095, 0, 64, 63, 4000, 1, 63, 127, 128};
  static const uint32_t expected[] = {0, 1, 63, 64, 127, 128, 4000, 4095};
  for (uint32_t part = 0; part < PARTS; part++) {
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
      td_fresh_add(fresh, summary, (part << TD_FRESH_PART) + found[i]);
    cr_assert_eq(listed(part), 8);
    for (size_t i = 0; i < 8; i++)
      cr_assert_eq(list[i], (part << TD_FRESH_PART) + expected[i]);
    check_empty();
    cr_assert_eq(listed(part), 0);
  }
}
