/* SPDX-License-Identifier: MIT */
/* Telling the program of objects that have died: tide_layout_on_reclaim. */
#ifndef TD_GC_ALLOC_DEAD_H
#define TD_GC_ALLOC_DEAD_H

#include "gc/state/heap.h"
#include "gc/state/mutator.h"

/* Does anything wait to be told of, as far as a quick look tells? */
static inline bool td_dead_wait(const struct tide_heap *heap) {
  /* relaxed: a hint. */
  return __atomic_load_n(&heap->space.dying, __ATOMIC_RELAXED) != 0;
}
/* Tells of what has died in up to `most` blocks. Returns whether there were any. By the mutator's
 * thread, which holds stops off, but may be stopped meanwhile. */
bool td_dead_tell(struct tide_mutator *mutator, size_t most);
/* At the end of a heap: tells of all objects that there are. */
void td_dead_tell_all(struct tide_heap *heap);

#endif
