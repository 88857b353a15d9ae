/* SPDX-License-Identifier: MIT */
/* Which of two ways of marking a heap is kept; here, with visits or without. */
#include <criterion/criterion.h>

#include "marker/base/trial.h"

enum { MANY = 1000000 };

/* A full collection of a heap in which each way takes so many ns for an object. Returns whether
 * there were visits. */
static bool collect(struct td_trial *trial, uint64_t without, uint64_t with) {
  td_trial_begin(trial, true, true);
  bool visits = td_trial_is_on(trial);
  td_trial_end(trial, &(struct td_trial_facts){
                          .ns = MANY * (visits ? with : without), .objects = MANY, .used = visits});
  return visits;
}

/* Returns how many collections of so many have visits. */
static unsigned visiting(struct td_trial *trial, unsigned count, uint64_t without, uint64_t with) {
  unsigned visits = 0;
  for (unsigned i = 0; i < count; i++)
    visits += collect(trial, without, with);
  return visits;
}

Test(trial, visits_come_first_and_then_the_other_way) {
  struct td_trial trial = td_trial_new(TD_TRIAL_FASTEST, true);
  cr_assert(collect(&trial, 20, 20));
  cr_assert_not(collect(&trial, 20, 20));
}

Test(trial, or_after_it) {
  struct td_trial trial = td_trial_new(TD_TRIAL_FASTEST, false);
  cr_assert_not(collect(&trial, 30, 20));
  cr_assert(collect(&trial, 30, 20));
  cr_assert(trial.better);
}

Test(trial, the_faster_way_is_kept) {
  struct td_trial trial = td_trial_new(TD_TRIAL_FASTEST, true);
  visiting(&trial, 2, 30, 20);
  cr_assert(trial.better);
  cr_assert_geq(visiting(&trial, 1000, 30, 20), 980, "tried ever more seldom");
  trial = td_trial_new(TD_TRIAL_FASTEST, true);
  visiting(&trial, 2, 20, 30);
  cr_assert_not(trial.better);
  cr_assert_leq(visiting(&trial, 1000, 20, 30), 20);
}

Test(trial, a_way_that_is_hardly_faster_is_not_taken) {
  struct td_trial trial = td_trial_new(TD_TRIAL_FASTEST, true);
  visiting(&trial, 100, 95, 100);
  cr_assert(trial.better);
}

Test(trial, a_heap_that_has_changed_is_noticed) {
  struct td_trial trial = td_trial_new(TD_TRIAL_FASTEST, true);
  visiting(&trial, 300, 30, 20);
  visiting(&trial, 100, 20, 30);
  cr_assert_not(trial.better);
  visiting(&trial, 200, 30, 20);
  cr_assert(trial.better);
}

Test(trial, a_disturbance_does_not_decide) {
  struct td_trial trial = td_trial_new(TD_TRIAL_FASTEST, true);
  visiting(&trial, 2, 25, 20);
  while (trial.left > 0)
    collect(&trial, 25, trial.left == 1 ? 200 : 20); /* just before the other way is tried */
  collect(&trial, 25, 20);
  cr_assert(trial.better);
}

Test(trial, a_large_heap_is_not_asked) {
  struct td_trial trial = td_trial_new(TD_TRIAL_FASTEST, true);
  visiting(&trial, 2, 20, 30);
  for (unsigned i = 0; i < 100; i++) {
    td_trial_begin(&trial, false, true);
    cr_assert(td_trial_is_on(&trial));
    td_trial_end(&trial, &(struct td_trial_facts){.ns = 1, .objects = MANY, .used = true});
  }
  cr_assert_not(trial.better, "nothing was learned from it");
}

Test(trial, few_objects_tell_nothing) {
  struct td_trial trial = td_trial_new(TD_TRIAL_FASTEST, true);
  for (unsigned i = 0; i < 10; i++) {
    td_trial_begin(&trial, true, true);
    cr_assert(td_trial_is_on(&trial));
    td_trial_end(&trial, &(struct td_trial_facts){.ns = MANY, .objects = 1000, .used = true});
  }
}

Test(trial, a_graph_that_hardly_leads_to_visits_is_not_tried_without) {
  struct td_trial trial = td_trial_new(TD_TRIAL_FASTEST, true);
  for (unsigned i = 0; i < 100; i++) {
    td_trial_begin(&trial, true, true);
    cr_assert(td_trial_is_on(&trial));
    td_trial_end(&trial, &(struct td_trial_facts){.ns = MANY, .objects = MANY, .used = false});
  }
}

/* Chance decides whether a collection with helpers takes 8 or 16 ns an object; without, 11. */
Test(trial, typical_collections_are_compared_where_chance_makes_some_fast) {
  struct td_trial fastest = td_trial_new(TD_TRIAL_FASTEST, true);
  struct td_trial typical = td_trial_new(TD_TRIAL_TYPICAL, true);
  for (unsigned i = 0; i < 200; i++) {
    collect(&fastest, 11, i % 4 == 0 ? 8 : 16);
    collect(&typical, 11, i % 4 == 0 ? 8 : 16);
  }
  cr_assert(fastest.better);
  cr_assert_not(typical.better);
}

/* In a young collection: what it meets says nothing of the whole heap. */
Test(trial, who_may_not_try_takes_the_better_way) {
  struct td_trial trial = td_trial_new(TD_TRIAL_FASTEST, false);
  collect(&trial, 20, 20);
  for (unsigned i = 0; i < 10; i++) {
    td_trial_begin(&trial, true, false);
    cr_assert_not(td_trial_is_on(&trial));
  }
  td_trial_begin(&trial, true, true);
  cr_assert(td_trial_is_on(&trial));
}

/* The better way takes 20 ns. Has a trial been given up after so many ns and objects? */
static bool is_given_up(uint64_t ns, uint64_t objects) {
  struct td_trial trial = td_trial_new(TD_TRIAL_FASTEST, true);
  visiting(&trial, 2, 20, 20);
  while (trial.left > 0)
    collect(&trial, 20, 20);
  td_trial_begin(&trial, true, true);
  td_trial_judge(&trial, ns, objects, 0.7);
  bool given_up = td_trial_is_on(&trial);
  td_trial_end(&trial, &(struct td_trial_facts){.ns = 1, .objects = MANY, .used = true});
  cr_assert_eq(trial.better, given_up, "what is given up has lost, whatever time it took in all");
  return given_up;
}

Test(trial, a_lost_one_is_given_up) {
  cr_assert_not(is_given_up(20 * MANY / 5, 1), "too early");
  cr_assert(is_given_up(20 * MANY / 3, MANY / 5));
  cr_assert_not(is_given_up(20 * MANY / 3, MANY / 4));
}

Test(trial, the_first_one_is_not_given_up) {
  struct td_trial trial = td_trial_new(TD_TRIAL_FASTEST, true);
  collect(&trial, 20, 20);
  td_trial_begin(&trial, true, true);
  td_trial_judge(&trial, 100 * MANY, 1, 0.7);
  cr_assert_not(td_trial_is_on(&trial));
}

Test(trial, the_better_way_is_not_judged) {
  struct td_trial trial = td_trial_new(TD_TRIAL_FASTEST, true);
  visiting(&trial, 2, 20, 20);
  td_trial_begin(&trial, true, true);
  td_trial_judge(&trial, 100 * MANY, 1, 0.7);
  cr_assert(td_trial_is_on(&trial));
}
