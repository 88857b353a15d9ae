/* SPDX-License-Identifier: MIT */
/* Free cells that false pointers point at, which are not handed out.
 *
 * A conservative root that holds an integer keeps whatever object comes to lie where it points, and
 * all that hangs off it. So marking notes the free cells that conservative roots point at or into,
 * in memory of free blocks too and somewhat above the frontier, and allocation passes over them
 * until a full collection has found them pointed at no more. Cells of leaves are not noted: what
 * they keep is one object. This is what others call black-listing, with cells in place of pages.
 *
 * The byte of such a cell is TD_AVOIDED, and that of the granule pointed at, because the cell may
 * become part of a free block. The entry of the block says that there are such bytes. A space with
 * a quarantine uses the same byte for its own ends and avoids nothing. */
#ifndef TD_HEAP_WITHHELD_AVOID_H
#define TD_HEAP_WITHHELD_AVOID_H

#include "heap/withheld/quarantine.h"

#define TD_AVOIDED TD_FREED_YOUNGEST

/* When a full collection begins: forgets all that was noted. The world is stopped. */
void td_avoid_begin(struct td_space *space);
/* Notes the free cells that the words point at or into. While marking; any marker may call. */
void td_avoid_note(struct td_space *space, const uintptr_t *words, size_t count);
/* Writes the bytes of a block of cells that is fresh from the pool, and whose entries are set but
 * for `avoided`, which the pool has left. */
void td_avoid_format(struct td_space *space, uint32_t block);
/* The next full collection forgets what was noted and notes nothing, because memory is short.
 * Returns false if that is so already, or if nothing is avoided. Any thread may call; takes the
 * lock. */
bool td_avoid_give_up(struct td_space *space);

/* Returns how far above the base a word still says something: it may lead to an object, or to
 * memory that is watched. The world is stopped. */
static inline uintptr_t td_avoid_watched_bytes(const struct td_space *space) {
  uint32_t end = space->avoid_end > space->frontier ? space->avoid_end : space->frontier;
  return (uintptr_t)end << TD_BLOCK_LOG2;
}

static inline bool td_avoids(const struct td_space *space, uint32_t block) {
  return space->infos[block].avoided;
}

#endif
