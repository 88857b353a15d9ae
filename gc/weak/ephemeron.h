/* Ephemerons during a collection: which values are reached because their keys are.
 *
 * Markers follow an ephemeron's value when they find its key marked, and chain the ephemeron
 * otherwise. Here the chained ones are closed: a value whose key was marked after all is marked
 * with all that it reaches, which may mark further keys. Doing that in rounds over all chained
 * ephemerons is parallel but quadratic on a chain of them; so rounds go on only while the
 * ephemerons looked at stay within a multiple of the heap's size, and then a serial closure
 * takes over that finds the ephemerons of a newly marked key in a hash table: linear. */
#ifndef TD_GC_WEAK_EPHEMERON_H
#define TD_GC_WEAK_EPHEMERON_H

#include "gc/base/state.h"

bool td_ephemerons_init(struct td_ephemerons *ephemerons);
void td_ephemerons_deinit(struct td_ephemerons *ephemerons);

/* Marking has begun. */
void td_ephemerons_begin(struct tide_heap *heap);
/* Marks all that is reached through ephemerons with marked keys. Allocates, but gets by without
 * when there is no memory. */
void td_ephemerons_close(struct tide_heap *heap);
/* Empties those whose keys stay unmarked. */
void td_ephemerons_clear(struct tide_heap *heap);

#endif
