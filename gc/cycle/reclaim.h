/* SPDX-License-Identifier: MIT */
/* What happens between the end of marking from roots and sweeping, in this order:
 *   1  Weak references of kind BEFORE to unmarked objects are cleared.
 *   2  Dying objects with finalizers are found. If there are any, those whose turn it is are
 *      queued (gc/weak/order.h) and marked with all that they reach. That may resurrect weak
 *      references which were not marked until then. So before the marking, all unmarked weak
 *      references of kind BEFORE are cleared too, unless their target is marked.
 *   3  Ephemerons are closed once more, then emptied where the key stays unmarked.
 *   4  Weak references of kind AFTER to unmarked objects are cleared.
 * Weak slots in place go with the references of their kind; slots in what is unmarked in the end
 * are forgotten. Objects that have one finalizer of their own come after those of 2
 * (gc/foreign/settle.h).
 *
 * Beside the program all this happens in stops, but for the marking in between. What refers weakly
 * to an object that is about to be marked because it dies is cleared in the stop that finds that
 * out, or gives the object to the program, which lives then. */
#ifndef TD_GC_CYCLE_RECLAIM_H
#define TD_GC_CYCLE_RECLAIM_H

#include "gc/foreign/settle.h"
#include "gc/state/heap.h"

struct td_reclaim {
  bool begun;
  enum td_settling settling; /* the next step of that */
  uintptr_t after;           /* weak references of that kind to what was unmarked, chained */
};

/* World stopped, and all is marked that was found so far: 1 and 2, in up to four steps, each a
 * call. Returns true if more may have to be marked before the next call; false if that was all.
 * Marks it itself if the program does not run beside the marking. */
bool td_reclaim_next(struct tide_heap *heap, struct td_reclaim *reclaim);
/* After that: 3 and 4. */
void td_reclaim_finish(struct tide_heap *heap, struct td_reclaim *reclaim);
/* All of it, in one stop. */
void td_reclaim(struct tide_heap *heap);

#endif
