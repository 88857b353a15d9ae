/* SPDX-License-Identifier: MIT */
/* Which of two ways to mark this heap is faster? Where that depends on the processor as much as on
 * the graph, the heap is marked the other way now and then, and the faster way is kept. Of
 * each question one way is called *on*, the other off: visits of regions or none
 * (marker/region/regions.h), helpers or none (marker/base/helped.h).
 *
 * A trial of visits that is lost is given up while marking goes on, and the rest is marked the
 * better way. A helper that has been left out of a collection does not come back in its middle. */
#ifndef TD_MARKER_BASE_TRIAL_H
#define TD_MARKER_BASE_TRIAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What is remembered of the collections of one way. */
enum td_trial_gauge {
  TD_TRIAL_FASTEST, /* the fastest: disturbances make collections slower only */
  TD_TRIAL_TYPICAL, /* about the median: chance makes some faster and some slower */
};

/* The collecting thread's, and constant while marking, but for `on`. */
struct td_trial {
  enum td_trial_gauge gauge;
  bool better;      /* the way that was faster so far */
  bool open;        /* the question is open in this collection, */
  bool tries;       /* and this one tries the other way */
  double ns[2];     /* for an object, off and on; 0: not known */
  uint32_t told[2]; /* collections of each way that were told */
  uint32_t faster;  /* times in a row in which the other way was faster when it was tried */
  uint64_t objects; /* marked in the last collection that was told */
  uint32_t left;    /* collections until the other way is tried, */
  uint32_t pause;   /* and how many it will be the next time */
  /* The way of this collection. Marker 0 may change it while all markers read it. */
  _Atomic(uint32_t) on;
};

/* A full collection that was marked. */
struct td_trial_facts {
  uint64_t ns;
  uint64_t objects;
  bool used; /* if it was on: what was allowed has really been done */
};

/* `better`: the way until something is known. */
struct td_trial td_trial_new(enum td_trial_gauge gauge, bool better);
/* If the question is not open, the way is on. `may_try`: else it is the better one. */
void td_trial_begin(struct td_trial *trial, bool open, bool may_try);
/* In a collection that tries the other way: `ns` have passed, in which about `objects` were marked.
 * If that is `much` of what the better way would have marked, the trial goes on. */
void td_trial_judge(struct td_trial *trial, uint64_t ns, uint64_t objects, double much);
void td_trial_end(struct td_trial *trial, const struct td_trial_facts *facts);

static inline bool td_trial_is_on(const struct td_trial *trial) {
  /* relaxed: the way of marking orders nothing; a marker that sees it late goes on so */
  return atomic_load_explicit(&trial->on, memory_order_relaxed) != 0;
}

#endif
