#include "marker/base/alone.h"

/* Where helpers pay, a steal leads to more objects than that: to 5,000 or more on all graphs that
 * were measured, and to 600 to 2,300 on lists of records. */
#define STEAL_OBJECTS 4096u

/* Helpers show what they can before it is tried without them. */
struct td_alone td_alone_new(void) {
  struct td_alone alone = {.trial = td_trial_new(TD_TRIAL_TYPICAL, true)};
  alone.trial.left = 3;
  return alone;
}

bool td_alone_begin(struct td_alone *alone) {
  td_trial_begin(&alone->trial, alone->asked, true);
  return td_trial_is_on(&alone->trial);
}

static bool is_another_heap(const struct td_alone *alone, uint64_t objects) {
  return objects > 2 * alone->objects || objects < alone->objects / 2;
}

void td_alone_end(struct td_alone *alone, const struct td_alone_facts *facts) {
  if (alone->asked && is_another_heap(alone, facts->objects)) *alone = td_alone_new();
  td_trial_end(&alone->trial, &(struct td_trial_facts){.ns = facts->ns,
                                                       .objects = facts->objects,
                                                       .used = facts->recruited > 1});
  if (!td_trial_is_on(&alone->trial) || !alone->trial.better) return;
  alone->asked = facts->steals > facts->objects / STEAL_OBJECTS;
  alone->objects = facts->objects;
}
