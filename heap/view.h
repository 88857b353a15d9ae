/* A marker's view of the space: what the marking loops keep in registers. The tables are indexed by
 * the address of an object itself, so that no subtraction stands between a reference and the loads
 * that it leads to: `marks` is where the mark byte of address 0 would be, and `blocks` likewise. */
#ifndef TD_HEAP_VIEW_H
#define TD_HEAP_VIEW_H

#include "heap/find.h"
#include "heap/marks.h"

struct td_view {
  uintptr_t base;
  uint64_t granules;
  uintptr_t marks;
  uintptr_t blocks;
  uint8_t epoch;
  uint8_t white; /* mark byte of an object that nobody has marked yet */
  bool interior; /* a conservative word may point anywhere into an object */
  const struct td_space *space;
};

static inline struct td_view td_view_of(const struct td_space *space) {
  return (struct td_view){.base = space->base,
                          .granules = space->granules,
                          .marks = (uintptr_t)space->marks - (space->base >> TD_GRANULE_LOG2),
                          .blocks = (uintptr_t)space->blocks -
                                    (space->base >> TD_BLOCK_LOG2) * sizeof(struct td_block),
                          .epoch = space->epoch,
                          .white = space->epoch_before,
                          .interior = !space->base_only && !space->layouts.has_near_start,
                          .space = space};
}

static inline bool td_view_is_reference(const struct td_view *v, uintptr_t word) {
  return td_granule_of(v->base, word) < v->granules;
}

static inline uint8_t *td_view_mark(const struct td_view *v, uintptr_t object) {
  return (uint8_t *)(v->marks + (object >> TD_GRANULE_LOG2));
}

/* Returns whether an object begins there that nobody has marked. A free cell is none: what
 * td_view_candidate returns may be one, and so may a reference that dangles. */
static inline bool td_view_is_white(const struct td_view *v, uintptr_t object) {
  return td_mark_load(td_view_mark(v, object)) == v->white;
}

static inline struct td_block *td_view_block(const struct td_view *v, uintptr_t object) {
  return (struct td_block *)(v->blocks + (object >> TD_BLOCK_LOG2) * sizeof(struct td_block));
}

static inline uint64_t td_view_granule(const struct td_view *v, uintptr_t object) {
  return (object - v->base) >> TD_GRANULE_LOG2;
}

static inline uintptr_t td_view_object(const struct td_view *v, uint64_t granule) {
  return v->base + (granule << TD_GRANULE_LOG2);
}

static inline size_t td_view_page(const struct td_view *v, uintptr_t object) {
  return (object - v->base) >> TD_PAGE_LOG2;
}

/* A word that points behind the beginning of a cell, or into no cell at all. It is given no pointer
 * to a view: loops keep theirs in registers. */
static __attribute__((noinline)) uintptr_t td_view_inside(const struct td_space *space,
                                                          bool interior, uintptr_t word) {
  const struct td_block *block = &space->blocks[(word - space->base) >> TD_BLOCK_LOG2];
  uint32_t granule = (uint32_t)(word >> TD_GRANULE_LOG2) % TD_BLOCK_GRANULES;
  uint32_t start = td_cell_of(block, granule) * block->cell_granules;
  uintptr_t cell = (word & ~(TD_BLOCK_BYTES - 1)) + ((uintptr_t)start << TD_GRANULE_LOG2);
  if (block->cell_granules == 0) return td_space_find(space, word);
  if (start + block->cell_granules > TD_BLOCK_GRANULES) return 0; /* too short for a cell */
  return interior || td_space_counts(space, cell, word) ? cell : 0;
}

/* Returns the start of the cell that a conservative word points at or into and keeps alive, or 0.
 * The cell may be free, or be what is left behind the last one of a block, which is never white. No
 * mark is read here, so that the caller can fetch it first. Most words that are pointers point to
 * the beginning: then the processor goes on with the word while it still looks at the block. */
static inline uintptr_t td_view_candidate(const struct td_view *v, uintptr_t word) {
  uint64_t granule = td_granule_of(v->base, word);
  if (granule < v->granules) {
    const struct td_block *block = td_view_block(v, word);
    if (__builtin_expect(td_begins_cell(block, granule % TD_BLOCK_GRANULES), 1)) return word;
  } else if (word - v->base >= v->granules << TD_GRANULE_LOG2) {
    return 0;
  }
  return td_view_inside(v->space, v->interior, word);
}

/* Returns the number of the block that the object starts in. */
static inline uint32_t td_view_number(const struct td_view *v, uintptr_t object) {
  return (uint32_t)((object - v->base) >> TD_BLOCK_LOG2);
}

#endif
