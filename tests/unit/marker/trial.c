/* Which way of marking a heap of few regions is kept. */
#include <criterion/criterion.h>

#include "marker/region/trial.h"

enum { MANY = 1000000 };

/* A full collection of a heap in which each way takes so many ns for an object. Returns whether
 * there were visits. */
static bool collect(struct td_trial *trial, uint64_t without, uint64_t with) {
  td_trial_begin(trial, true);
  bool visits = trial->visits;
  td_trial_end(trial, &(struct td_trial_facts){.ns = MANY * (visits ? with : without),
                                               .objects = MANY,
                                               .visited = visits ? MANY : 0});
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
  struct td_trial trial = td_trial_new(true);
  cr_assert(collect(&trial, 20, 20));
  cr_assert_not(collect(&trial, 20, 20));
}

Test(trial, or_after_it) {
  struct td_trial trial = td_trial_new(false);
  cr_assert_not(collect(&trial, 30, 20));
  cr_assert(collect(&trial, 30, 20));
  cr_assert(trial.better);
}

Test(trial, the_faster_way_is_kept) {
  struct td_trial trial = td_trial_new(true);
  visiting(&trial, 2, 30, 20);
  cr_assert(trial.better);
  cr_assert_geq(visiting(&trial, 1000, 30, 20), 980, "tried ever more seldom");
  trial = td_trial_new(true);
  visiting(&trial, 2, 20, 30);
  cr_assert_not(trial.better);
  cr_assert_leq(visiting(&trial, 1000, 20, 30), 20);
}

Test(trial, a_way_that_is_hardly_faster_is_not_taken) {
  struct td_trial trial = td_trial_new(true);
  visiting(&trial, 100, 95, 100);
  cr_assert(trial.better);
}

Test(trial, a_heap_that_has_changed_is_noticed) {
  struct td_trial trial = td_trial_new(true);
  visiting(&trial, 300, 30, 20);
  visiting(&trial, 100, 20, 30);
  cr_assert_not(trial.better);
  visiting(&trial, 200, 30, 20);
  cr_assert(trial.better);
}

Test(trial, a_disturbance_does_not_decide) {
  struct td_trial trial = td_trial_new(true);
  visiting(&trial, 2, 25, 20);
  while (trial.left > 0)
    collect(&trial, 25, trial.left == 1 ? 200 : 20); /* just before the other way is tried */
  collect(&trial, 25, 20);
  cr_assert(trial.better);
}

Test(trial, a_large_heap_is_not_asked) {
  struct td_trial trial = td_trial_new(true);
  visiting(&trial, 2, 20, 30);
  for (unsigned i = 0; i < 100; i++) {
    td_trial_begin(&trial, false);
    cr_assert(trial.visits);
    td_trial_end(&trial, &(struct td_trial_facts){.ns = 1, .objects = MANY, .visited = MANY});
  }
  cr_assert_not(trial.better, "nothing was learned from it");
}

Test(trial, few_objects_tell_nothing) {
  struct td_trial trial = td_trial_new(true);
  for (unsigned i = 0; i < 10; i++) {
    td_trial_begin(&trial, true);
    cr_assert(trial.visits);
    td_trial_end(&trial, &(struct td_trial_facts){.ns = MANY, .objects = 1000, .visited = 1000});
  }
}

Test(trial, a_graph_that_hardly_leads_to_visits_is_not_tried_without) {
  struct td_trial trial = td_trial_new(true);
  for (unsigned i = 0; i < 100; i++) {
    td_trial_begin(&trial, true);
    cr_assert(trial.visits);
    td_trial_end(&trial,
                 &(struct td_trial_facts){.ns = MANY, .objects = MANY, .visited = MANY / 9});
  }
}
