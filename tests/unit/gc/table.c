/* The hash table of addresses, against a plain array as model. */
#include "gc/base/table.h"

#include <criterion/criterion.h>

Test(table, empty_has_nothing) {
  struct td_table table = {0};
  cr_assert_eq(td_table_get(&table, 8), TD_TABLE_NONE);
  cr_assert_not(td_table_remove(&table, 8));
  td_table_free(&table);
}

Test(table, behaves_as_the_model) {
  enum { KEYS = 512 };
  struct td_table table = {0};
  size_t model[KEYS];
  for (int i = 0; i < KEYS; i++)
    model[i] = TD_TABLE_NONE;
  uint32_t x = 2463534242u;
  size_t count = 0;
  for (int step = 0; step < 200000; step++) {
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    size_t i = x % KEYS;
    uintptr_t key = (i + 1) * 64; /* neighbours collide in runs */
    if (x >> 30) {
      cr_assert(td_table_put(&table, key, x));
      count += model[i] == TD_TABLE_NONE;
      model[i] = x;
    } else {
      cr_assert_eq(td_table_remove(&table, key), model[i] != TD_TABLE_NONE);
      count -= model[i] != TD_TABLE_NONE;
      model[i] = TD_TABLE_NONE;
    }
    cr_assert_eq(table.count, count);
    size_t probe = (x >> 9) % KEYS;
    cr_assert_eq(td_table_get(&table, (probe + 1) * 64), model[probe]);
  }
  for (int i = 0; i < KEYS; i++)
    cr_assert_eq(td_table_get(&table, (uintptr_t)(i + 1) * 64), model[i]);
  td_table_free(&table);
}

Test(table, sets_behave_as_the_model) {
  enum { KEYS = 512 };
  struct td_table set = {.is_set = true};
  bool model[KEYS] = {false};
  uint32_t x = 2463534242u;
  size_t count = 0;
  cr_assert_not(td_table_has(&set, 64));
  for (int step = 0; step < 200000; step++) {
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    size_t i = x % KEYS;
    uintptr_t key = (i + 1) * 64;
    bool adds = x >> 31;
    if (adds)
      cr_assert_eq(td_table_add(&set, key), model[i] ? TD_TABLE_WAS_THERE : TD_TABLE_ADDED);
    else
      cr_assert_eq(td_table_remove(&set, key), model[i]);
    count += (size_t)adds - (size_t)model[i];
    model[i] = adds;
    cr_assert_eq(set.count, count);
    size_t probe = (x >> 9) % KEYS;
    cr_assert_eq(td_table_has(&set, (probe + 1) * 64), model[probe]);
  }
  td_table_free(&set);
  cr_assert(set.is_set && !td_table_has(&set, 64));
}

Test(table, gets_shorter_again) {
  enum { KEYS = 100000 };
  struct td_table table = {0};
  for (uintptr_t i = 1; i <= KEYS; i++)
    cr_assert(td_table_put(&table, i * 16, i));
  cr_assert_geq(table.capacity, KEYS);
  for (uintptr_t i = 1; i <= KEYS; i++)
    if (i % 1000) cr_assert(td_table_remove(&table, i * 16));
  cr_assert_eq(table.count, KEYS / 1000);
  for (int i = 0; i < 8; i++)
    td_table_fit(&table);
  cr_assert_leq(table.capacity, 16 * table.count);
  for (uintptr_t i = 1000; i <= KEYS; i += 1000)
    cr_assert_eq(td_table_get(&table, i * 16), i);
  td_table_free(&table);
}
