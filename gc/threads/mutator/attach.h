/* SPDX-License-Identifier: MIT */
/* The mutators of a heap: what fork and the end of a heap do to them. */
#ifndef TD_GC_THREADS_MUTATOR_ATTACH_H
#define TD_GC_THREADS_MUTATOR_ATTACH_H

#include "gc/state/heap.h"

/* Detached mutators, reused late. Under the world's lock. */
struct td_retired {
  struct tide_mutator *first, *last;
  unsigned count;
};

/* Before the first heap of the process, or the first since the last one's end: what all mutators
 * share. Returns false if the system has no address space or no thread key left. */
bool td_mutators_open(void);
/* After the last heap's end. An unloaded library leaves nothing behind. */
void td_mutators_close(void);

/* Fork, in the child: removes every mutator of the heap but `keep`. The world is stopped. */
void td_mutators_drop_others(struct tide_heap *heap, struct tide_mutator *keep);

/* At the end of a heap: frees what was kept for the next mutators. */
void td_mutators_free_pools(struct tide_heap *heap);

#endif
