/* SPDX-License-Identifier: MIT */
/* The stacks of a mutator: its thread's own, and those registered for fibers. */
#ifndef TD_GC_THREADS_MUTATOR_FIBER_H
#define TD_GC_THREADS_MUTATOR_FIBER_H

#include "gc/state/heap.h"

/* Describes the calling thread's own stack. Returns false if the system does not tell its bounds.
 */
bool td_fibers_open(struct tide_mutator *mutator);
static inline bool td_are_bounds(uintptr_t low, uintptr_t high) {
  return low % 8 == 0 && high % 8 == 0 && low < high;
}
/* A mutator's own stack lies there. Its thread calls, or the world is stopped. */
enum tide_status td_fibers_move_own(struct tide_mutator *mutator, uintptr_t low, uintptr_t high);
/* Forgets registered stacks. */
void td_fibers_close(struct tide_mutator *mutator);

#endif
