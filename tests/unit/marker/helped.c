/* SPDX-License-Identifier: MIT */
/* When a heap is marked without helpers, although there are some. */
#include <criterion/criterion.h>

#include "marker/base/helped.h"

enum { MANY = 200000, FEW_STEALS = MANY / 5000, MANY_STEALS = MANY / 1000 };

static struct td_helped state;

static void open(void) {
  state = td_helped_new();
}
TestSuite(helped, .init = open);

/* A full collection of so many objects, each of which takes so many ns. Returns whether helpers
 * could take part. */
static bool collect(uint64_t objects, uint64_t steals, uint64_t helped_ns, uint64_t alone_ns) {
  bool helped = td_helped_begin(&state);
  td_helped_end(&state, &(struct td_helped_facts){.ns = objects * (helped ? helped_ns : alone_ns),
                                                  .objects = objects,
                                                  .steals = helped ? steals : 0,
                                                  .recruited = helped && steals > 0 ? 2 : 1});
  return helped;
}

static unsigned helped(unsigned collections, uint64_t objects, uint64_t steals, uint64_t helped_ns,
                       uint64_t alone_ns) {
  unsigned count = 0;
  for (unsigned i = 0; i < collections; i++)
    count += collect(objects, steals, helped_ns, alone_ns);
  return count;
}

Test(helped, nobody_asks_where_steals_are_few) {
  cr_assert_eq(helped(1000, MANY, FEW_STEALS, 20, 10), 1000);
}

Test(helped, helpers_that_do_not_pay_stay_away) {
  cr_assert_leq(helped(1000, MANY, MANY_STEALS, 20, 10), 40);
}

Test(helped, one_fast_collection_without_helpers_does_not_decide) {
  unsigned count = 0;
  for (unsigned i = 0; i < 1000; i++)
    count += collect(MANY, MANY_STEALS, 15, i == 4 ? 10 : 20);
  cr_assert_geq(count, 980);
}

Test(helped, helpers_that_pay_are_seldom_left_out) {
  cr_assert_geq(helped(1000, MANY, MANY_STEALS, 10, 15), 980);
}

Test(helped, a_slow_start_of_helpers_does_not_decide) {
  unsigned count = 0;
  for (unsigned i = 0; i < 1000; i++)
    count += collect(MANY, MANY_STEALS, i == 1 ? 30 : 16, 20);
  cr_assert_geq(count, 980);
}

Test(helped, where_both_take_the_same_helpers_come) {
  cr_assert_geq(helped(1000, MANY, MANY_STEALS, 10, 10), 980);
}

Test(helped, another_heap_is_another_question) {
  helped(100, MANY, MANY_STEALS, 20, 10);
  cr_assert_leq(helped(20, MANY, MANY_STEALS, 20, 10), 3);
  collect(3 * MANY, FEW_STEALS, 10, 20);
  cr_assert_eq(helped(100, 3 * MANY, FEW_STEALS, 10, 20), 100);
}

Test(helped, a_graph_that_has_changed_is_noticed) {
  helped(100, MANY, MANY_STEALS, 20, 10);
  helped(200, MANY, FEW_STEALS, 10, 20);
  cr_assert_eq(helped(100, MANY, FEW_STEALS, 10, 20), 100);
}

Test(helped, an_empty_heap_says_nothing) {
  cr_assert_eq(helped(10, 0, 0, 1, 1), 10);
}
