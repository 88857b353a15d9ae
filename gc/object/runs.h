/* SPDX-License-Identifier: MIT */
/* A mutator's cache of cells (heap/cells/cache.h) from attaching to detaching and through stops. */
#ifndef TD_GC_OBJECT_RUNS_H
#define TD_GC_OBJECT_RUNS_H

#include "gc/state/heap.h"
#include "gc/state/mutator.h"

/* Empty caches that mutators have left. Under the world's lock. */
#define TD_POOLED_CACHES 16u
struct td_run_pool {
  struct td_cache caches[TD_POOLED_CACHES];
  unsigned count;
};

/* Opens the mutator's cache, under the world's lock. Returns false if there is no memory. */
bool td_runs_open(struct tide_heap *heap, struct tide_mutator *mutator);
/* Closes it after td_runs_drop. Under the world's lock. */
void td_runs_close(struct tide_heap *heap, struct tide_mutator *mutator);
/* At the end of a heap: frees the tables that are kept for the next mutators. */
void td_runs_free_pool(struct tide_heap *heap);

/* Lets inlined code see the mutator's runs, or empty ones where it may not allocate. */
void td_runs_show(struct tide_mutator *mutator);
/* The same for all mutators of the calling thread. */
void td_runs_show_all(const struct td_self *self);
/* Returns the empty ones, for mutators that may not allocate. */
static inline struct tide_bump *td_runs_none(const struct tide_heap *heap) {
  return heap->space.no_runs;
}
/* Gives the unused rests of all runs back. World stopped. Runs of which an interrupted mutator may
 * be about to take a cell are held instead, until td_runs_hand_back. */
void td_runs_retire(struct tide_mutator *mutator);
void td_runs_hand_back(struct tide_mutator *mutator);
/* The same for the owner that detaches. */
void td_runs_drop(struct tide_mutator *mutator);

/* Adds the bytes that this mutator was handed, and has freed, to the heap's counts. */
void td_runs_flush_counts(struct tide_mutator *mutator);

#endif
