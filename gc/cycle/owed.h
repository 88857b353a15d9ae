/* SPDX-License-Identifier: MIT */
/* A collection that is due and has not taken place: the program had paused collecting, collects
 * when it wants to (tide_options.collects), or told of external memory where nothing may be
 * collected. It is owed until one takes place that does as much: the next allocation or safepoint
 * that may collect makes up for it. */
#ifndef TD_GC_CYCLE_OWED_H
#define TD_GC_CYCLE_OWED_H

#include "gc/state/heap.h"
#include "gc/when/when.h"

/* The wish is owed from now on. The mutator, which is the calling thread's, tries again soon. */
void td_owe(struct tide_mutator *mutator, struct td_wish wish);
/* The same. Its next allocation tries, however small. */
void td_owe_at_once(struct tide_mutator *mutator, struct td_wish wish);
/* Something is owed: lets all mutators and the program know, once, or later if the world's lock is
 * taken just now. */
void td_owed_tell(struct tide_mutator *mutator);
/* Returns what is owed, of cause NONE if that is nothing. The caller sees to it. */
struct td_wish td_owed(struct tide_mutator *mutator);
/* The world stopped, in a collection of this kind, by this mutator or, if NULL, beside the program:
 * it was done. */
void td_owed_settle(struct tide_heap *heap, struct tide_mutator *self, enum tide_cycle_kind kind);

#endif
