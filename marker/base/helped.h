/* SPDX-License-Identifier: MIT */
/* Is this heap marked faster without helpers? Where the frontier is a thread of small pieces, as in
 * a list whose elements each lead to little, helpers come again and again for work that is not
 * worth the way: marks, queues and objects then pass from core to core all the time. Such a heap
 * shows it by its many steals, and is marked by one marker alone for a trial. */
#ifndef TD_MARKER_BASE_HELPED_H
#define TD_MARKER_BASE_HELPED_H

#include "marker/base/trial.h"

/* The collecting thread's only. */
struct td_helped {
  struct td_trial trial; /* on: with helpers */
  bool asked;            /* the question is open */
  uint64_t objects;      /* marked when it was opened: another heap is another question */
};

struct td_helped_facts {
  uint64_t ns;
  uint64_t objects;
  uint64_t steals;
  unsigned recruited; /* markers that took part */
};

struct td_helped td_helped_new(void);
/* Before a full collection. Returns whether helpers may take part. */
bool td_helped_begin(struct td_helped *helped);
/* After it. */
void td_helped_end(struct td_helped *helped, const struct td_helped_facts *facts);

#endif
