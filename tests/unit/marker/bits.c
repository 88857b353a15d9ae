/* SPDX-License-Identifier: MIT */
/* A bit for each marker: where searches begin, go on and end. */
#include "marker/base/bits.h"
#include "tests/unit/heap/common.h"

enum { COUNT = TD_BITS_MOST };

static struct td_bits bits;

Test(bits, the_next_one_is_found_cyclically) {
  static const struct {
    unsigned set[2], from, next;
  } rows[] = {{{3, 200}, 0, 3},
              {{3, 200}, 3, 3},
              {{3, 200}, 4, 200},
              {{3, 200}, 201, 3},
              {{3, 200}, COUNT - 1, 3},
              {{1, 1}, COUNT - 1, 1},
              {{TD_BITS_LINE, TD_BITS_LINE}, TD_BITS_LINE + 1, TD_BITS_LINE}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    td_bits_set(&bits, rows[i].set[0]);
    td_bits_set(&bits, rows[i].set[1]);
    cr_assert_eq(td_bits_take(&bits, COUNT, rows[i].from), rows[i].next, "row %zu", i);
    cr_assert_not(td_bits_has(&bits, rows[i].next));
    td_bits_clear(&bits, rows[i].set[0]);
    td_bits_clear(&bits, rows[i].set[1]);
  }
}

Test(bits, nobody_has_one) {
  cr_assert_eq(td_bits_take(&bits, COUNT, 5), TD_BITS_NONE);
  td_bits_set(&bits, 7);
  cr_assert_eq(td_bits_take(&bits, COUNT, 8), 7, "all the way round");
}

Test(bits, each_is_taken_once_the_nearest_first) {
  for (unsigned id = 0; id < COUNT; id++)
    td_bits_set(&bits, id);
  cr_assert_eq(td_bits_take(&bits, COUNT, 100), 100);
  cr_assert_eq(td_bits_take(&bits, COUNT, 100), 101);
  for (unsigned left = COUNT - 2; left > 0; left--)
    cr_assert_neq(td_bits_take(&bits, COUNT, 100), TD_BITS_NONE);
  cr_assert_eq(td_bits_take(&bits, COUNT, 100), TD_BITS_NONE);
}

/* There were more markers, and there are fewer now: the bits of the others stay. */
Test(bits, those_of_others_are_left_out) {
  enum { FEWER = TD_BITS_LINE + 3 };
  for (unsigned id = FEWER; id < COUNT; id++)
    td_bits_set(&bits, id);
  for (unsigned from = 0; from < FEWER; from++)
    cr_assert_eq(td_bits_take(&bits, FEWER, from), TD_BITS_NONE);
  td_bits_set(&bits, FEWER - 1);
  cr_assert_eq(td_bits_take(&bits, FEWER, FEWER - 1), FEWER - 1);
}
