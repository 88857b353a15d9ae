/* SPDX-License-Identifier: MIT */
/* Young collections while a full one marks beside the program (gc/cycle/beside.h): what is born
 * between stop 1 and stop 2, and dies there, makes room at once.
 *
 * The markers go on meanwhile. They and the young collection have nothing to do with each other:
 *   - markers look into white objects only, those of the snapshot that were not found yet. None is
 *     young, and a young collection stores no byte of such an object, nor does it free one;
 *   - it looks into young objects and into what was written (gc/threads/mutator/written.h), and
 *     stores the epoch for those that it finds, as if they had been born old: [beside];
 *   - a cell or block of the dead has no white byte, whoever gets it. A marker that was led there
 *     by an old word passes on.
 * One thread marks the young, with a list of its own: the markers' queues, flags and regions are in
 * use.
 *
 * What weak references, ephemerons and finalizers lead to counts as alive: the full collection
 * decides on that. */
#ifndef TD_GC_CYCLE_YOUNG_BESIDE_H
#define TD_GC_CYCLE_YOUNG_BESIDE_H

#include "gc/arrays/root_list.h"
#include "gc/object/scan.h"

/* Under the world's lock. */
struct td_young_beside {
  struct td_worklist list;         /* found, and not looked into yet */
  struct td_root_list roots, told; /* as of td_root_set, in the stop only */
  uint64_t freed_bytes;            /* since the full collection began */
  uint64_t ended_ns;               /* the last one, or its beginning */
};

/* World stopped, marking beside the program has begun: from here on objects are born young. Returns
 * false, and nothing has changed, if young collections do not happen in this heap, or not so. */
bool td_young_beside_begin(struct tide_heap *heap);
/* World stopped: what is young is old from here on, and so is all that is born. Are markers at
 * work? */
void td_young_beside_end(struct tide_heap *heap, bool marking);

/* Under the world's lock: are objects born young, while a full collection marks? */
bool td_young_beside_goes_on(const struct tide_heap *heap);
/* Then: collects them. */
enum td_young_done {
  TD_YOUNG_COLLECTED,
  TD_YOUNG_ENDED,    /* something has come up that does not go together with it: all is old */
  TD_YOUNG_NO_MEMORY /* to remember the roots */
};
enum td_young_done td_young_beside_collect(struct tide_mutator *mutator,
                                           enum tide_cycle_cause cause);

void td_young_beside_deinit(struct td_young_beside *own);

#endif
