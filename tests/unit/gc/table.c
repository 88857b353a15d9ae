/* SPDX-License-Identifier: MIT */
/* The hash table of addresses, against a plain array as model. */
#include "gc/arrays/table.h"

#include <criterion/criterion.h>

#include "tests/random.h"

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
    random_next(&x);
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
