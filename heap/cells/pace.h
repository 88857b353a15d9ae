/* SPDX-License-Identifier: MIT */
/* How fast mutators may allocate while a collection goes on beside the program. When fresh blocks
 * get scarce before it ends, they leave their CPUs to it for a while, the more often the fewer are
 * left. So they seldom have to wait for the end, which takes a hundred times as long. Shenandoah
 * paces allocation, too. */
#ifndef TD_HEAP_CELLS_PACE_H
#define TD_HEAP_CELLS_PACE_H

#include "heap/space/space.h"

/* Under the lock, all. A collection begins: */
void td_pace_begin(struct td_space *space);
/* a block is wanted, and `left` of the `listed` ones are still there; */
void td_pace_note(struct td_space *space, uint32_t left, uint32_t listed);
/* the collection has ended. */
void td_pace_end(struct td_space *space);

/* Returns how many bytes a mutator allocates before it waits; 0: as many as it likes. */
static inline uint32_t td_pace(const struct td_space *space) {
  return __atomic_load_n(&space->pace_bytes, __ATOMIC_RELAXED); /* relaxed: a hint */
}

#endif
