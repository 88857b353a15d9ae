/* SPDX-License-Identifier: MIT */
/* What is about to be overwritten in an object with a trace function, while marking goes on beside
 * the program. The function alone knows a reference that is encoded, in a NaN box, say. */
#ifndef TD_GC_THREADS_MUTATOR_OVERWRITTEN_H
#define TD_GC_THREADS_MUTATOR_OVERWRITTEN_H

#include "gc/object/scan.h"
#include "gc/state/heap.h"

/* Has the object a trace function that may be called now? One with another has been born since
 * marking began, or it would not go on beside the program: so nothing of it has to be kept. */
static inline bool td_overwritten_is_traced(const struct td_space *space, uintptr_t object) {
  const struct td_block *block = td_block_at(space, object);
  return block && block->kind == TD_KIND_TRACED && space->layouts.at[block->layout].beside;
}

/* By the owner: marks all that the function of such an object tells. */
void td_overwritten_keep_all(struct tide_mutator *mutator, uintptr_t object);
/* By the owner: zeroes the object from there on, and keeps what lies there if a collection goes on
 * beside the program. */
void td_overwritten_erase(struct tide_mutator *mutator, uintptr_t object, size_t from);

#endif
