/* SPDX-License-Identifier: MIT */
/* From an address to the object that it points at or into. */
#ifndef TD_HEAP_SPACE_FIND_H
#define TD_HEAP_SPACE_FIND_H

#include "heap/space/marks.h"
#include "heap/space/published.h"

/* Returns whether an object starts at the granule, which is the first of a cell or of an extent.
 * While marking, objects are those found alive so far, those allocated before, and those born
 * meanwhile. Markers may run. */
static inline bool td_holds_object(const struct td_space *space, uint64_t granule) {
  unsigned epoch = td_mark_load(&space->marks[granule]) & (TD_DEFERRED - 1);
  return epoch == space->epoch || epoch == space->epoch_before || epoch == space->born;
}

/* While marking: may a word that leads into the block be looked up? Beside the program only if the
 * block was in use when marking began: see [beside]. Any thread may ask. */
static inline bool td_space_was_used(const struct td_space *space, uint32_t block) {
  const uint64_t *free_before = space->view_free;
  if (!free_before) return true;
  return block < space->view_frontier && !(free_before[block / 64] >> (block % 64) & 1);
}

/* Which object does a word mean? That depends on where the word lies. */
enum td_from {
  TD_FROM_ANYWHERE, /* the object that the address lies in */
  TD_FROM_STACK,    /* the object that the word keeps alive: not one whose layout is
                     * held_by_first_page, if the word points behind that */
  TD_FROM_HEAP,     /* the same for words that lie on no stack: if the space is base_only, they must
                     * point at the first byte or at a registered displacement */
};
/* Returns the start of the object that the word means, or 0. Any word will do. */
uintptr_t td_space_find(const struct td_space *space, uintptr_t word, enum td_from from);
/* The same for those that mark, without the lock: of blocks that were in use when that began. */
uintptr_t td_space_find_before(const struct td_space *space, uintptr_t word, enum td_from from);
/* Does a word that lies in no stack and points into the cell mean the cell? */
bool td_space_counts(const struct td_space *space, uintptr_t cell, uintptr_t word);
/* Returns the start of the cell, or large object, that the address lies in, whether it holds an
 * object or not; 0 if there is none. Any address will do. Needs no lock if the address's block is
 * in use. */
uintptr_t td_space_cell(const struct td_space *space, uintptr_t address);

/* When base_only or the displacements have changed: finds out which words a marker has to look up,
 * because it matters where in its granule they point. Bit i of `looked_up` stands for the words
 * whose low six bits are i. Words with a tag that programs add to all pointers are not among them.
 */
void td_space_set_words(struct td_space *space);
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
  const struct td_block_info *info = &space->infos[td_block_of(space, address)];
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
