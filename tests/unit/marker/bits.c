/* SPDX-License-Identifier: MIT */
/* A bit for each marker: where searches begin, go on and end. */
#include "marker/base/bits.h"
#include "tests/unit/heap/common.h"

enum { COUNT = TD_BITS_MOST };

static struct td_bits bits;

Test(bits, the_next_one_is_found_cyclically) {
  td_bits_set(&bits, 3);
  td_bits_set(&bits, 200);
  cr_assert_eq(td_bits_next(&bits, COUNT, 0), 3);
  cr_assert_eq(td_bits_next(&bits, COUNT, 3), 3);
  cr_assert_eq(td_bits_next(&bits, COUNT, 4), 200);
  cr_assert_eq(td_bits_next(&bits, COUNT, 201), 3);
  cr_assert_eq(td_bits_next(&bits, COUNT, COUNT - 1), 3);
}

Test(bits, before_self_in_the_same_line) {
  td_bits_set(&bits, TD_BITS_LINE);
  cr_assert_eq(td_bits_next(&bits, COUNT, TD_BITS_LINE + 1), TD_BITS_LINE);
  cr_assert_eq(td_bits_take(&bits, COUNT, TD_BITS_LINE + 1), TD_BITS_LINE);
  cr_assert_not(td_bits_has(&bits, TD_BITS_LINE));
}

Test(bits, nobody_has_one) {
  cr_assert_eq(td_bits_next(&bits, COUNT, 5), TD_BITS_NONE);
  cr_assert_eq(td_bits_take(&bits, COUNT, 5), TD_BITS_NONE);
  td_bits_set(&bits, 7);
  cr_assert_not(td_bits_any(&bits, COUNT, 7), "none but the own one");
  cr_assert(td_bits_any(&bits, COUNT, 6));
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

Test(bits, the_first_line_follows_the_last) {
  td_bits_set(&bits, 1);
  cr_assert_eq(td_bits_take(&bits, COUNT, COUNT - 1), 1);
}

/* There were more markers, and there are fewer now: the bits of the others stay. */
Test(bits, those_of_others_are_left_out) {
  enum { FEWER = TD_BITS_LINE + 3 };
  for (unsigned id = FEWER; id < COUNT; id++)
    td_bits_set(&bits, id);
  for (unsigned from = 0; from < FEWER; from++) {
    cr_assert_eq(td_bits_next(&bits, FEWER, from), TD_BITS_NONE);
    cr_assert_eq(td_bits_take(&bits, FEWER, from), TD_BITS_NONE);
    cr_assert_not(td_bits_any(&bits, FEWER, from));
  }
  td_bits_set(&bits, FEWER - 1);
  cr_assert(td_bits_any(&bits, FEWER, 0));
  cr_assert_eq(td_bits_next(&bits, FEWER, 0), FEWER - 1);
  cr_assert_eq(td_bits_take(&bits, FEWER, FEWER - 1), FEWER - 1);
}
