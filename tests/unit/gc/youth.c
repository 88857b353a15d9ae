/* When young collections are due, and whether they pay. */
#include "gc/when/youth.h"

#include <criterion/criterion.h>

#define MIB ((size_t)1 << 20)
#define MS UINT64_C(1000000)

/* After a full collection of 100 ms that leaves a room of 400 MiB: 0.24 ns for each byte of it. */
static struct td_youth make(void) {
  struct td_youth youth;
  td_youth_begin(&youth, MIB);
  struct td_youth_facts full = {.collect_ns = 100 * MS, .room_bytes = 400 * MIB};
  td_youth_after_full(&youth, &full);
  cr_assert(youth.on);
  cr_assert_eq(youth.due_bytes, 2 * MIB);
  return youth;
}

/* A young collection once so much was allocated as was wanted, in so many ns; the part of it in 256
 * that survived. */
static void collect(struct td_youth *youth, uint64_t worked_ns, uint64_t mutator_ns, unsigned part,
                    bool logged_much) {
  struct td_youth_facts facts = {.collect_ns = worked_ns,
                                 .worked_ns = worked_ns,
                                 .mutator_ns = mutator_ns,
                                 .allocated_bytes = youth->due_bytes,
                                 .promoted_bytes = youth->due_bytes / 256 * part,
                                 .room_bytes = 400 * MIB,
                                 .logged_much = logged_much};
  td_youth_after_young(youth, &facts);
}

static void young(struct td_youth *youth, uint64_t worked_ns, uint64_t mutator_ns, unsigned part) {
  collect(youth, worked_ns, mutator_ns, part, false);
}
static void young_logged(struct td_youth *youth, uint64_t worked_ns, uint64_t mutator_ns,
                         unsigned part) {
  collect(youth, worked_ns, mutator_ns, part, true);
}

Test(youth, grows_while_it_takes_time_and_is_short) {
  struct td_youth youth = make();
  for (uint64_t size = 2; size <= 64; size *= 2) {
    cr_assert_eq(youth.due_bytes, size * MIB);
    young(&youth, size * MS / 60, size * MS, 4);
  }
  cr_assert_eq(youth.due_bytes, 64 * MIB, "64 MiB take 1.1 ms; twice as much would be too long");
  cr_assert(youth.on);
}

Test(youth, grows_into_half_of_the_room) {
  struct td_youth youth = make();
  for (unsigned i = 0; i < 12; i++)
    young(&youth, MS / 2, 10 * MS, 1);
  cr_assert_eq(youth.due_bytes, 200 * MIB);
  struct td_youth_facts full = {.collect_ns = 100 * MS, .room_bytes = 40 * MIB};
  td_youth_after_full(&youth, &full);
  cr_assert_eq(youth.due_bytes, 20 * MIB);
}

Test(youth, stays_where_it_takes_little_time) {
  struct td_youth youth = make();
  young(&youth, MS / 100, 2 * MS, 1);
  cr_assert_eq(youth.due_bytes, 2 * MIB);
  young(&youth, MS / 1000, 2 * MS, 1);
  cr_assert_eq(youth.due_bytes, MIB);
}

Test(youth, shrinks_when_pauses_are_long_but_for_one) {
  struct td_youth youth = make();
  youth.due_bytes = 64 * MIB;
  young(&youth, 4 * MS, 100 * MS, 4);
  cr_assert_eq(youth.due_bytes, 64 * MIB);
  young(&youth, 2 * MS, 100 * MS, 4);
  young(&youth, 4 * MS, 100 * MS, 4);
  cr_assert_eq(youth.due_bytes, 64 * MIB);
  young(&youth, 4 * MS, 100 * MS, 4);
  cr_assert_eq(youth.due_bytes, 32 * MIB);
}

Test(youth, waits_where_all_survives) {
  struct td_youth youth = make();
  young(&youth, MS / 2, 5 * MS, 255);
  cr_assert(!youth.on);
  cr_assert_geq(youth.due_bytes, 32 * MIB, "not before the trial is a small part");
  td_youth_resume(&youth);
  cr_assert(youth.on);
  cr_assert_eq(youth.due_bytes, 2 * MIB);
  young(&youth, MS / 20, 5 * MS, 1);
  cr_assert(youth.on, "what was before the wait does not count");
  cr_assert_eq(youth.due_bytes, 2 * MIB);
}

/* The first trial takes 0.4 ms of the 10 that a full collection of 100 ms gives: a part four times
 * as large is tried, and again, until its price is more than what is left. */
Test(youth, tries_larger_parts_for_what_full_collections_give) {
  struct td_youth youth = make();
  for (size_t size = 2; size <= 32; size *= 4) {
    cr_assert_eq(youth.due_bytes, size * MIB);
    young(&youth, size * MS / 5, 5 * MS, 200);
    cr_assert_eq(youth.on, size < 32, "%zu MiB", size);
  }
  cr_assert_leq(youth.due_bytes, 96 * MIB, "the wait is for the smallest trial");
}

Test(youth, waits_the_longer_the_dearer_the_trial_was) {
  struct td_youth cheap = make(), dear = make();
  young(&cheap, MS, 5 * MS, 255);
  young(&dear, 2 * MS, 5 * MS, 255);
  cr_assert(!cheap.on && !dear.on);
  cr_assert_geq(dear.due_bytes, cheap.due_bytes + cheap.due_bytes / 2);
  /* Trials take a tenth of what full collections take, which is 0.24 ns a byte. */
  cr_assert_leq(dear.due_bytes, 200 * MIB);
}

/* Half survives. A larger young part would change nothing, because the collection came for what
 * was logged. */
Test(youth, does_not_grow_where_much_is_logged) {
  struct td_youth youth = make();
  young_logged(&youth, MS, 5 * MS, 128);
  cr_assert(!youth.on);
  youth = make();
  young_logged(&youth, MS / 10, 5 * MS, 4);
  cr_assert(youth.on);
  cr_assert_eq(youth.due_bytes, 2 * MIB);
}

/* Half of 2 MiB survives, but a larger part would die. */
Test(youth, tries_a_larger_part_where_that_is_cheap) {
  struct td_youth youth = make();
  young(&youth, MS, 5 * MS, 128);
  cr_assert(youth.on);
  cr_assert_eq(youth.due_bytes, 8 * MIB);
  young(&youth, MS, 20 * MS, 10);
  cr_assert(youth.on);
  youth = make();
  young(&youth, 3 * MS, 5 * MS, 128); /* four times as much would cost 12 ms of 100 */
  cr_assert(!youth.on);
}

Test(youth, full_collections_give_time_for_trials) {
  struct td_youth youth = make();
  struct td_youth_facts full = {.collect_ns = 2 * MS, .room_bytes = 400 * MIB};
  young(&youth, 12 * MS, 5 * MS, 256);
  cr_assert(!youth.on);
  unsigned count = 0;
  do
    td_youth_after_full(&youth, &full); /* gives 0.2 ms */
  while (!youth.on && ++count < 100);
  cr_assert_geq(count, 50, "12 ms were spent, of 10 given before, and 12 are wanted");
  cr_assert(youth.on);
}

/* A heap with a large limit grows: a full collection would be late and find all alive. */
Test(youth, guesses_before_there_was_a_full_collection) {
  struct td_youth youth;
  td_youth_begin(&youth, MIB);
  struct td_youth_facts facts = {.worked_ns = MS / 2,
                                 .mutator_ns = 5 * MS,
                                 .allocated_bytes = 2 * MIB,
                                 .promoted_bytes = 2 * MIB,
                                 .live_bytes = 100 * MIB,
                                 .room_bytes = 1000 * MIB};
  td_youth_after_young(&youth, &facts);
  cr_assert(!youth.on);
  cr_assert_eq(youth.due_bytes, 96 * MIB, "as long as it may be");
  td_youth_resume(&youth);
  facts.promoted_bytes = 2 * MIB / 100;
  facts.worked_ns = MS / 100;
  td_youth_after_young(&youth, &facts);
  cr_assert(youth.on, "0.005 ns a byte beside 0.025");
}

Test(youth, without_figures_is_no_disaster) {
  struct td_youth youth;
  td_youth_begin(&youth, 0);
  struct td_youth_facts nothing = {0};
  for (unsigned i = 0; i < 5; i++)
    td_youth_after_young(&youth, &nothing);
  td_youth_after_full(&youth, &nothing);
  for (unsigned i = 0; i < 5; i++)
    td_youth_after_young(&youth, &nothing);
  cr_assert_geq(youth.due_bytes, youth.least_bytes);
}
