/* When full collections of a heap that is being filled are postponed. */
#include "gc/when/filling.h"

#include <criterion/criterion.h>

#define MIB ((uint64_t)1 << 20)

static struct td_filling after_full(uint64_t freed_mib, uint64_t live_mib) {
  struct td_filling filling = {0};
  td_filling_after_full(&filling, freed_mib * MIB, live_mib * MIB);
  return filling;
}

/* Two samples of 2 MiB. */
static void look(struct td_filling *filling, uint64_t lived_percent, uint64_t replaced,
                 bool let_go) {
  struct td_filling_facts facts = {.allocated_bytes = 2 * MIB,
                                   .promoted_bytes = 2 * MIB * lived_percent / 100,
                                   .told = 1000,
                                   .replaced = replaced,
                                   .let_go = let_go};
  td_filling_after_young(filling, &facts);
  td_filling_after_young(filling, &facts);
}

static void sample(struct td_filling *filling, uint64_t lived_percent, uint64_t replaced) {
  look(filling, lived_percent, replaced, false);
}

/* Returns how many full collections in a row are postponed. */
static unsigned postpone_all(struct td_filling *filling, uint64_t replaced) {
  unsigned postponed = 0;
  for (; postponed < 100; postponed++) {
    cr_assert_not(td_filling_may_postpone(filling), "there was no sample since the last decision");
    sample(filling, 97, replaced);
    if (!td_filling_may_postpone(filling)) break;
    td_filling_note_postponed(filling);
  }
  return postponed;
}

Test(filling, postpones_while_all_survives_but_not_for_ever) {
  struct td_filling filling = after_full(0, 80), pure = filling;
  unsigned postponed = postpone_all(&filling, 10);
  cr_assert(postponed > 0 && postponed < 10, "%u", postponed);
  cr_assert_eq(postpone_all(&pure, 0), postponed + 1, "where nothing was replaced");
  td_filling_after_full(&filling, 1 * MIB, 1000 * MIB);
  sample(&filling, 97, 10);
  cr_assert(td_filling_may_postpone(&filling), "the full collection has freed nothing again");
}

Test(filling, does_not_begin_with_a_guess) {
  struct td_filling filling = {0};
  sample(&filling, 100, 0);
  cr_assert_not(td_filling_may_postpone(&filling));
}

Test(filling, a_small_heap_tells_nothing) {
  struct td_filling filling = after_full(0, 10);
  sample(&filling, 100, 0);
  cr_assert_not(td_filling_may_postpone(&filling));
}

Test(filling, each_sign_of_death_counts_until_the_next_full_collection) {
  const struct {
    uint64_t freed_mib, lived_percent, replaced;
    bool let_go;
  } rows[] = {{20, 100, 0, false}, {0, 70, 0, false}, {0, 100, 300, false}, {0, 100, 0, true}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct td_filling filling = after_full(rows[i].freed_mib, 80);
    look(&filling, rows[i].lived_percent, rows[i].replaced, rows[i].let_go);
    sample(&filling, 100, 0);
    cr_assert_not(td_filling_may_postpone(&filling), "row %zu", i);
    td_filling_after_full(&filling, 0, 80 * MIB);
    sample(&filling, 100, 0);
    cr_assert(td_filling_may_postpone(&filling), "row %zu, afterwards", i);
  }
}

Test(filling, takes_back_once_what_it_has_given) {
  struct td_filling filling = after_full(0, 80);
  sample(&filling, 100, 0);
  cr_assert(td_filling_looks(&filling));
  td_filling_note_postponed(&filling);
  cr_assert_not(td_filling_takes_back(&filling));
  look(&filling, 0, 0, false);
  cr_assert_not(td_filling_takes_back(&filling), "what is young has died since");
  look(&filling, 100, 0, true);
  cr_assert(td_filling_takes_back(&filling));
  cr_assert_not(td_filling_takes_back(&filling), "twice");
  cr_assert_not(td_filling_looks(&filling));
}

Test(filling, has_nothing_to_take_back_where_nothing_was_postponed) {
  struct td_filling filling = after_full(0, 80);
  look(&filling, 100, 0, true);
  cr_assert_not(td_filling_takes_back(&filling));
}

Test(filling, lasts_while_two_full_collections_free_nothing_and_nothing_dies_between) {
  struct td_filling filling = after_full(0, 80);
  sample(&filling, 100, 0);
  cr_assert(td_filling_lasts(&filling, 0, 160 * MIB));
  cr_assert_not(td_filling_lasts(&filling, 20 * MIB, 160 * MIB), "this one freed much");
  sample(&filling, 70, 0);
  cr_assert_not(td_filling_lasts(&filling, 0, 160 * MIB), "young objects died");
  filling = after_full(20, 80);
  cr_assert_not(td_filling_lasts(&filling, 0, 160 * MIB), "the one before freed much");
}
