/* SPDX-License-Identifier: MIT */
/* Memory that is there before it is wanted. The first touch of a huge page takes 0.3 ms, in which
 * it is zeroed, and 3 ms where the host of a virtual machine has to find it first. In a space that
 * `grows_ahead`, a thread that is no mutator touches whole slabs before mutators come to them.
 * Meanwhile these are out of the pool. No mutator waits for it: it makes no change of mappings wait
 * for a huge page, and the side tables reach as far beforehand. */
#ifndef TD_HEAP_MEMORY_AHEAD_H
#define TD_HEAP_MEMORY_AHEAD_H

#include "heap/space/space.h"

#define TD_READY_SLABS 2u /* a mutator takes longer for one than it takes to touch another */

/* Returns how many bytes are likely to be allocated while the next collection goes on; 0 while one
 * does. Under the lock. */
static inline double td_ahead_bytes(const struct td_space *space) {
  if (space->scarce_blocks) return 0;
  return space->ahead * (double)(space->live_bytes + space->young_bytes);
}
/* Returns how many slabs shall be ready: a few, and before a collection as many more as will be
 * used while it goes on, for then its markers need the CPU. Under the lock. */
uint32_t td_ahead_slabs(const struct td_space *space);
/* Without the lock: has a slab been begun, so that it is time for another one? */
static inline bool td_ahead_is_wanted(const struct td_space *space) {
  return __atomic_load_n(&space->wants_slabs, __ATOMIC_RELAXED); /* relaxed: a hint */
}
/* Without the lock; one thread at a time. Makes a slab ready. Returns false if there are enough of
 * them, or no more is to be had. */
bool td_ahead_make(struct td_space *space);
/* Is the block out of the pool for this? Under the lock. */
static inline bool td_ahead_has(const struct td_space *space, uint32_t block) {
  return space->growing && block / TD_SLAB_BLOCKS == space->growing / TD_SLAB_BLOCKS;
}
/* Copies the bits of free blocks up to the frontier, those of such blocks among them. Takes the
 * lock. */
void td_ahead_copy_free(struct td_space *space, uint64_t *bits);
/* In the child after a fork: the thread is gone. */
void td_ahead_forget(struct td_space *space);

#endif
