/* From an address to the object that it points at or into. */
#ifndef TD_HEAP_FIND_H
#define TD_HEAP_FIND_H

#include "heap/marks.h"
#include "heap/published.h"

/* Returns whether an object starts at the granule, which is the first of a cell or of an extent.
 * While marking, objects are those found alive so far and those allocated before. Markers may run
 * meanwhile. */
static inline bool td_holds_object(const struct td_space *space, uint64_t granule) {
  unsigned epoch = td_mark_load(&space->marks[granule]) & (TD_DEFERRED - 1);
  return epoch == space->epoch || epoch == space->epoch_before;
}

/* Returns the start of the object that the address points at or into, or 0. Any address will do. */
uintptr_t td_space_find_any(const struct td_space *space, uintptr_t address);
/* The same as td_space_find_any for what keeps objects alive: not from behind the beginning of an
 * object whose layout wants that (held_by_first_page). */
uintptr_t td_space_find_from_stack(const struct td_space *space, uintptr_t address);
/* The same for a word that lies on no stack: if the space is base_only, it must point at the first
 * byte or at a registered displacement. */
uintptr_t td_space_find(const struct td_space *space, uintptr_t address);
/* The same for an address in a block that holds no small objects, while marking: nor from what is
 * marked already. Programs that keep all they have in a few long objects have no other words. */
uintptr_t td_space_find_white(const struct td_space *space, uintptr_t address);
/* Does an address inside a cell count so? */
bool td_space_counts(const struct td_space *space, uintptr_t cell, uintptr_t address);
/* When base_only or the displacements have changed: finds out which words a marker has to look up,
 * because it matters where in its granule they point. Bit i of `looked_up` stands for the words
 * whose low six bits are i. Words with a tag that programs add to all pointers are not among them.
 */
void td_space_set_words(struct td_space *space);
/* Returns the start of the cell, or large object, that the address lies in, whether it holds an
 * object or not; 0 if there is none. */
uintptr_t td_space_cell(const struct td_space *space, uintptr_t address);
/* The same for an address inside the space's range; without the lock, if its block is in use. */
uintptr_t td_space_cell_in_use(const struct td_space *space, uintptr_t address);

/* The same for an address in SMALL block number `b`. A space begins at a multiple of a block. */
static inline uintptr_t td_space_cell_of_small(const struct td_space *space, uint32_t b,
                                               uintptr_t address) {
  uintptr_t start = address & ~(uintptr_t)(TD_BLOCK_BYTES - 1);
  const struct td_block *block = &space->blocks[b];
  uint32_t cell = td_cell_of(block, (uint32_t)((address - start) >> TD_GRANULE_LOG2));
  return cell < space->infos[b].cells ? td_granule_address(start, cell * block->cell_granules) : 0;
}
/* Returns what block an address inside the space's range lies in holds: enum td_block_state.
 * Without the lock; only FREE and SMALL can be relied on then, see [small], and LARGE by a thread
 * that keeps the object alive. */
static inline uint8_t td_space_state_at(const struct td_space *space, uintptr_t address) {
  const struct td_block_info *info = &space->infos[(address - space->base) >> TD_BLOCK_LOG2];
  return td_published_look((const _Atomic(uint8_t) *)&info->state);
}

/* What begins in a block: `count` cells, one every `granules`. A large object counts as one. A tail
 * or a free block has none, and the cells of a span count as its first block's. */
struct td_cells {
  uint32_t count, granules;
};
struct td_cells td_space_cells(const struct td_space *space, uint32_t block);
/* Returns the bytes of an object's cell, or of a large object. `object` is the start of one. */
size_t td_space_object_bytes(const struct td_space *space, uintptr_t object);

#endif
