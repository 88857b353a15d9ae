/* SPDX-License-Identifier: MIT */
#include "marker/base/trial.h"

#define OBJECTS_LEAST 65536u /* a collection of fewer tells nothing */
#define PAUSE_LEAST 4u
#define PAUSE_MOST 64u
#define CLEARLY 0.9 /* what is no faster than that may be noise */
#define FIRST 3     /* collections in which threads start and caches fill may be slow */
#define EARLY 4     /* a trial is not judged before a quarter could have been marked */

struct td_trial td_trial_new(enum td_trial_gauge gauge, bool better) {
  return (struct td_trial){
      .gauge = gauge, .better = better, .on = better, .left = 1, .pause = PAUSE_LEAST};
}

static void set_way(struct td_trial *trial, bool on) {
  /* relaxed: see td_trial_is_on; before a phase, td_term_start publishes it: [term.start]. */
  atomic_store_explicit(&trial->on, on, memory_order_relaxed);
}

void td_trial_begin(struct td_trial *trial, bool open, bool may_try) {
  trial->open = open;
  trial->tries = open && may_try && trial->left == 0;
  set_way(trial, !open || trial->better != trial->tries);
}

/* Neither way is judged by its first collection, in which the system may have to clear memory. */
void td_trial_judge(struct td_trial *trial, uint64_t ns, uint64_t objects, double much) {
  if (!trial->tries || trial->told[0] == 0 || trial->told[1] == 0) return;
  double expected = (double)ns / trial->ns[trial->better];
  if (expected * EARLY < (double)trial->objects) return;
  if ((double)objects < much * expected) set_way(trial, trial->better);
}

/* The heap changes, so what was fast long ago is forgotten slowly. */
static double fastest(double known, double ns) {
  return ns < known * 1.125 ? ns : known * 1.125;
}

/* A step towards each new figure, however far away it is, ends near the median. */
static double typical(double known, double ns) {
  double least = known * 0.8, most = known * 1.25;
  return ns < least ? least : ns > most ? most : ns;
}

static void note(struct td_trial *trial, bool on, double ns) {
  double *known = &trial->ns[on];
  if (trial->told[on]++ == 0)
    *known = ns;
  else if (trial->gauge == TD_TRIAL_FASTEST || trial->told[on] <= FIRST)
    *known = fastest(*known, ns);
  else
    *known = typical(*known, ns);
}

/* One collection is not typical of its way: that wins if it was faster twice in a row. */
static bool wins(struct td_trial *trial, bool way, double ns) {
  if (trial->gauge == TD_TRIAL_FASTEST) return trial->ns[way] < CLEARLY * trial->ns[!way];
  trial->faster = ns < CLEARLY * trial->ns[!way] ? trial->faster + 1 : 0;
  return trial->faster >= 2;
}

/* The other way was tried: it took `ns` for an object, or was given up. */
static void decide(struct td_trial *trial, bool given_up, double ns) {
  const bool way = !trial->better;
  if (!given_up && wins(trial, way, ns)) {
    trial->better = way;
    trial->pause = PAUSE_LEAST;
    trial->faster = 0;
  } else if (trial->faster == 0 && trial->pause < PAUSE_MOST) {
    trial->pause *= 2;
  }
  trial->left = trial->pause;
}

void td_trial_end(struct td_trial *trial, const struct td_trial_facts *facts) {
  if (!trial->open || facts->objects < OBJECTS_LEAST) return;
  const bool way = trial->better != trial->tries, given_up = td_trial_is_on(trial) != way;
  const double ns = (double)facts->ns / (double)facts->objects;
  trial->objects = facts->objects;
  if (way && !given_up && !facts->used) {
    trial->left = trial->pause; /* the graph hardly led there: there is nothing to compare */
    return;
  }
  if (!given_up) note(trial, way, ns);
  if (trial->tries)
    decide(trial, given_up, ns);
  else if (trial->left > 0)
    trial->left--;
}
