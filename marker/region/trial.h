/* Are visits faster in this heap? In a heap of few regions that depends on the processor's caches
 * as much as on the graph. So such a heap is marked the other way now and then, and the faster way
 * is kept. Only the collecting thread uses this, and markers read `visits` while they mark. */
#ifndef TD_MARKER_REGION_TRIAL_H
#define TD_MARKER_REGION_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

struct td_trial {
  bool better;    /* the way that was faster so far: with visits, or without */
  bool open;      /* the question is open in this collection */
  bool visits;    /* the way of this collection */
  double ns[2];   /* for an object, without visits and with them; 0: not known */
  uint32_t left;  /* collections until the other way is tried, */
  uint32_t pause; /* and how many it will be the next time */
};

/* A full collection that was marked. */
struct td_trial_facts {
  uint64_t ns;
  uint64_t objects;
  uint64_t visited; /* those of them that visits have marked */
};

/* `better`: with visits, until something is known. */
struct td_trial td_trial_new(bool better);
/* `small`: the heap has so few regions that the question is open. */
void td_trial_begin(struct td_trial *trial, bool small);
void td_trial_end(struct td_trial *trial, const struct td_trial_facts *facts);

#endif
