/* SPDX-License-Identifier: MIT */
/* When young collections are due, and whether they pay. */
#include "gc/when/when.h"

#include <criterion/criterion.h>

#define MIB ((size_t)1 << 20)
#define MS UINT64_C(1000000)

static void full(struct td_when *when, uint64_t collect_ns, uint64_t room_bytes) {
  td_youth_next(&when->youth, &(struct td_facts){.kind = TIDE_CYCLE_FULL, .collect_ns = collect_ns},
                (double)room_bytes);
}

/* After a full collection of 100 ms that leaves a room of 400 MiB: 0.24 ns for each byte of it. */
static struct td_when make(void) {
  struct td_when when = {.owed = 0};
  td_youth_begin(&when.youth, TIDE_YOUNG_WHERE_IT_PAYS, MIB, 0);
  full(&when, 100 * MS, 400 * MIB);
  cr_assert(when.youth.on);
  cr_assert_eq(when.youth.due_bytes, 2 * MIB);
  return when;
}

/* A young collection once the young part was full. `part` in 256 of it survived. */
struct step {
  uint64_t worked_ns, mutator_ns;
  unsigned part;
  bool logged_much;
  bool on;          /* afterwards */
  size_t due_bytes; /* the same; 0: any number will do */
};

static void take(struct td_when *when, const struct step *step) {
  struct td_facts facts = {.logged_much = step->logged_much,
                           .kind = TIDE_CYCLE_YOUNG,
                           .worked_ns = step->worked_ns,
                           .mutator_ns = step->mutator_ns,
                           .allocated_bytes = when->youth.due_bytes,
                           .promoted_bytes = when->youth.due_bytes / 256 * step->part};
  td_youth_next(&when->youth, &facts, 400.0 * MIB);
}

static void young(struct td_when *when, uint64_t worked_ns, uint64_t mutator_ns, unsigned part) {
  take(when, &(struct step){worked_ns, mutator_ns, part, false, false, 0});
}

/* From what a full collection has left, or a larger young part; with the credit for trials that it
 * gave, or none. */
static const struct history {
  const char *what;
  size_t due_bytes;
  bool without_credit;
  struct step steps[7];
} histories[] = {
    {.what = "it grows while it takes time and is short: twice 64 MiB would take too long",
     .steps = {{2 * MS / 60, 2 * MS, 4, false, true, 4 * MIB},
               {4 * MS / 60, 4 * MS, 4, false, true, 8 * MIB},
               {8 * MS / 60, 8 * MS, 4, false, true, 16 * MIB},
               {16 * MS / 60, 16 * MS, 4, false, true, 32 * MIB},
               {32 * MS / 60, 32 * MS, 4, false, true, 64 * MIB},
               {64 * MS / 60, 64 * MS, 4, false, true, 64 * MIB}}},
    {.what = "it stays, or shrinks, where it takes little time",
     .steps = {{MS / 100, 2 * MS, 1, false, true, 2 * MIB},
               {MS / 1000, 2 * MS, 1, false, true, MIB}}},
    {.what = "it shrinks when pauses are long",
     .due_bytes = 64 * MIB,
     .steps = {{2 * MS, 100 * MS, 4, false, true, 64 * MIB},
               {4 * MS, 100 * MS, 4, false, true, 32 * MIB}}},
    {.what = "it waits where all survives, and what was before the wait does not count then",
     .without_credit = true,
     .steps = {{MS / 2, 5 * MS, 255, false, false, TD_TRIAL_WAIT * 2 * MIB},
               {0, 5 * MS, 256, false, true, 2 * MIB}, /* the end of the wait, unlooked at */
               {MS / 20, 5 * MS, 1, false, true, 2 * MIB}}},
    /* The first trial takes 0.4 ms of the 10 that a full collection of 100 ms gives. */
    {.what = "four times as much is tried until the price is more than what is left",
     .steps = {{2 * MS / 5, 5 * MS, 200, false, true, 8 * MIB},
               {8 * MS / 5, 5 * MS, 200, false, true, 32 * MIB},
               {32 * MS / 5, 5 * MS, 200, false, false, 0}}},
    {.what = "half survives, but a larger part would die",
     .steps = {{MS, 5 * MS, 128, false, true, 8 * MIB}, {MS, 20 * MS, 10, false, true, 0}}},
    {.what = "four times as much would cost 12 ms of 100",
     .steps = {{3 * MS, 5 * MS, 128, false, false, 0}}},
    /* A larger part would change nothing, because the collection came for what was logged. */
    {.what = "half survives, and much is logged", .steps = {{MS, 5 * MS, 128, true, false, 0}}},
    {.what = "it does not grow where much is logged",
     .steps = {{MS / 10, 5 * MS, 4, true, true, 2 * MIB}}},
};

Test(youth, goes_by_what_young_collections_take_and_keep) {
  for (size_t i = 0; i < sizeof histories / sizeof *histories; i++) {
    struct td_when when = make();
    if (histories[i].due_bytes) when.youth.due_bytes = histories[i].due_bytes;
    if (histories[i].without_credit) when.youth.credit_ns = 0;
    for (const struct step *step = histories[i].steps; step->mutator_ns; step++) {
      take(&when, step);
      cr_assert_eq(when.youth.on, step->on, "%s", histories[i].what);
      if (!step->due_bytes) continue;
      cr_assert_eq(when.youth.due_bytes, step->due_bytes, "%s: %zu", histories[i].what,
                   when.youth.due_bytes);
    }
  }
}

/* A goal of 0.6 ms: the young part begins with what takes that long if all survives. */
Test(youth, stays_within_the_goal) {
  struct td_when when = {.owed = 0};
  td_youth_begin(&when.youth, TIDE_YOUNG_WHERE_IT_PAYS, MIB, 600);
  full(&when, 2000 * MS, 400 * MIB);
  cr_assert_eq(when.youth.due_bytes, 600000);
  cr_assert_eq(when.youth.logged_due, 2000);
  young(&when, MS / 10, MS, 4);
  cr_assert_eq(when.youth.due_bytes, 1200000);
  young(&when, MS * 3 / 10, MS, 4);
  cr_assert_eq(when.youth.due_bytes, 1200000, "twice as much might take too long");
  young(&when, MS * 24 / 10, MS, 4);
  cr_assert_eq(when.youth.due_bytes, 300000, "a quarter of it takes 0.6 ms");
  cr_assert(when.youth.on);
  young(&when, MS, MS, 4);
  cr_assert(!when.youth.on, "and less than the least is not collected");
}

Test(youth, grows_into_half_of_the_room) {
  struct td_when when = make();
  for (unsigned i = 0; i < 12; i++)
    young(&when, MS / 2, 10 * MS, 1);
  cr_assert_eq(when.youth.due_bytes, 200 * MIB);
  full(&when, 100 * MS, 40 * MIB);
  cr_assert_eq(when.youth.due_bytes, 20 * MIB);
}

Test(youth, full_collections_give_time_for_trials) {
  struct td_when when = make();
  young(&when, 12 * MS, 5 * MS, 256);
  cr_assert(!when.youth.on);
  unsigned count = 0;
  do
    full(&when, 2 * MS, 400 * MIB); /* gives 0.2 ms */
  while (!when.youth.on && ++count < 100);
  cr_assert(count >= 50 && count < 100, "12 ms were spent, of 10 given before, and 12 are wanted");
}

/* A heap with a large limit grows: a full collection would be late and find all alive. */
Test(youth, guesses_before_there_was_a_full_collection) {
  struct td_when when = {.owed = 0};
  td_youth_begin(&when.youth, TIDE_YOUNG_WHERE_IT_PAYS, MIB, 0);
  struct td_facts facts = {.kind = TIDE_CYCLE_YOUNG,
                           .worked_ns = MS / 2,
                           .mutator_ns = 5 * MS,
                           .allocated_bytes = 2 * MIB,
                           .promoted_bytes = 2 * MIB,
                           .live_bytes = 100 * MIB};
  td_youth_next(&when.youth, &facts, 1000.0 * MIB);
  cr_assert(!when.youth.on);
  td_youth_next(&when.youth, &facts, 1000.0 * MIB); /* the wait ends */
  facts.promoted_bytes = 2 * MIB / 100;
  facts.worked_ns = MS / 100;
  td_youth_next(&when.youth, &facts, 1000.0 * MIB);
  cr_assert(when.youth.on, "0.005 ns a byte beside 0.025");
}

Test(youth, without_figures_is_no_disaster) {
  struct td_when when = {.owed = 0};
  td_youth_begin(&when.youth, TIDE_YOUNG_WHERE_IT_PAYS, 0, 0);
  for (unsigned i = 0; i < 5; i++)
    td_youth_next(&when.youth, &(struct td_facts){.kind = TIDE_CYCLE_YOUNG}, 0);
  full(&when, 0, 0);
  for (unsigned i = 0; i < 5; i++)
    td_youth_next(&when.youth, &(struct td_facts){.kind = TIDE_CYCLE_YOUNG}, 0);
  cr_assert_geq(when.youth.due_bytes, when.youth.least_bytes);
}

Test(due, is_full_where_the_budget_is_used_up_by_old_objects) {
  struct td_when when = make();
  const struct {
    enum td_room room;
    size_t young_bytes;
    bool waits;
    struct td_wish wish;
  } rows[] = {{TD_ROOM_YOUNG_DUE, 0, false, {TIDE_CYCLE_YOUNG, TIDE_CAUSE_YOUNG}},
              {TD_ROOM_YOUNG_DUE, 0, true, {TIDE_CYCLE_YOUNG, TIDE_CAUSE_YOUNG}},
              {TD_ROOM_OVER_BUDGET, 0, false, {TIDE_CYCLE_FULL, TIDE_CAUSE_GROWTH}},
              {TD_ROOM_OVER_BUDGET, 2 * MIB, false, {TIDE_CYCLE_YOUNG, TIDE_CAUSE_YOUNG}},
              {TD_ROOM_OVER_BUDGET, 2 * MIB, true, {TIDE_CYCLE_FULL, TIDE_CAUSE_GROWTH}},
              {TD_ROOM_NO_MEMORY, 2 * MIB, false, {TIDE_CYCLE_FULL, TIDE_CAUSE_ROOM}}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    when.youth.on = !rows[i].waits;
    struct td_wish wish = td_when_due(&when, rows[i].room, rows[i].young_bytes);
    cr_assert_eq(wish.kind, rows[i].wish.kind, "row %zu", i);
    cr_assert_eq(wish.cause, rows[i].wish.cause, "row %zu", i);
  }
}
