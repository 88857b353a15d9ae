#include "marker/region/trial.h"

#define OBJECTS_LEAST 65536u /* a collection of fewer tells nothing */
#define PAUSE_LEAST 4u
#define PAUSE_MOST 64u
#define CLEARLY 0.9 /* what is no faster than that may be noise */

struct td_trial td_trial_new(bool better) {
  return (struct td_trial){.better = better, .visits = better, .left = 1, .pause = PAUSE_LEAST};
}

void td_trial_begin(struct td_trial *trial, bool small) {
  trial->open = small;
  trial->visits = !small || (trial->left > 0 ? trial->better : !trial->better);
}

/* Disturbances make collections slower only, so the fastest counts; but the heap changes, so what
 * was fast long ago is forgotten slowly. */
static void note(double *known, double ns) {
  *known = *known == 0 || ns < *known * 1.125 ? ns : *known * 1.125;
}

void td_trial_end(struct td_trial *trial, const struct td_trial_facts *facts) {
  if (!trial->open || facts->objects < OBJECTS_LEAST) return;
  if (trial->visits && 8 * facts->visited < facts->objects) {
    trial->left = trial->pause; /* the graph hardly led to visits: there is nothing to compare */
    return;
  }
  note(&trial->ns[trial->visits], (double)facts->ns / (double)facts->objects);
  if (trial->visits == trial->better) {
    if (trial->left > 0) trial->left--;
    return;
  }
  if (trial->ns[trial->visits] < CLEARLY * trial->ns[trial->better]) {
    trial->better = trial->visits;
    trial->pause = PAUSE_LEAST;
  } else if (trial->pause < PAUSE_MOST) {
    trial->pause *= 2;
  }
  trial->left = trial->pause;
}
