/* SPDX-License-Identifier: MIT */
/* Whose turn it is to collect: the world's lock, for a thread that may hold what the collecting one
 * waits for. */
#ifndef TD_GC_CYCLE_TURN_H
#define TD_GC_CYCLE_TURN_H

#include "gc/state/heap.h"

/* Takes the world's lock, as td_world_lock or, if the caller does not await the end of a collection
 * beside the program, td_world_lock_beside. Returns false if the thread that has it asks sources of
 * roots, and goes on asking: it may wait for a lock of the program's that the caller holds, the
 * loader's in a callback of dl_iterate_phdr for example. */
bool td_turn_take(struct tide_heap *heap, bool awaits_end);
/* A mutator: stands still until the next resume, but no longer than `ns`. */
void td_turn_wait(struct tide_heap *heap, uint64_t ns);

#endif
