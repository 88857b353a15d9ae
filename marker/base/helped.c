/* SPDX-License-Identifier: MIT */
#include "marker/base/helped.h"

/* Where helpers pay, a steal leads to more objects than that: to 5,000 or more on all graphs that
 * were measured, and to 600 to 2,300 on lists of records. */
#define STEAL_OBJECTS 4096u

/* Helpers show what they can before it is tried without them. */
struct td_helped td_helped_new(void) {
  struct td_helped helped = {.trial = td_trial_new(TD_TRIAL_TYPICAL, true)};
  helped.trial.left = 3;
  return helped;
}

bool td_helped_begin(struct td_helped *helped) {
  td_trial_begin(&helped->trial, helped->asked, true);
  return td_trial_is_on(&helped->trial);
}

static bool is_another_heap(const struct td_helped *helped, uint64_t objects) {
  return objects > 2 * helped->objects || objects < helped->objects / 2;
}

void td_helped_end(struct td_helped *helped, const struct td_helped_facts *facts) {
  if (helped->asked && is_another_heap(helped, facts->objects)) *helped = td_helped_new();
  td_trial_end(&helped->trial, &(struct td_trial_facts){.ns = facts->ns,
                                                        .objects = facts->objects,
                                                        .used = facts->recruited > 1});
  if (!td_trial_is_on(&helped->trial) || !helped->trial.better) return;
  helped->asked = facts->steals > facts->objects / STEAL_OBJECTS;
  helped->objects = facts->objects;
}
