/* SPDX-License-Identifier: MIT */
/* A marker's view of the space in a collection: what the marking loops keep in
 * registers. The tables are indexed by the address of an object itself, so that no subtraction
 * stands between a reference and the loads that it leads to: `marks` is where the mark byte of
 * address 0 would be, and `blocks` likewise. */
#ifndef TD_HEAP_VIEW_H
#define TD_HEAP_VIEW_H

#include "heap/space/find.h"
#include "heap/space/marks.h"

struct td_view {
  uintptr_t base;
  uint64_t granules; /* up to the frontier: beyond it there is no object, and no region */
  uintptr_t marks;
  uintptr_t blocks;
  uint8_t epoch;
  uint8_t white;      /* mark byte of an unmarked object */
  bool words;         /* there are conservative objects */
  uintptr_t bytes;    /* a conservative word that leads into the heap is less than that from base */
  uint64_t looked_up; /* such words whose low bits are these have to be: see td_space_set_words */
  const struct td_space *space;
};

static inline struct td_view td_view_of(const struct td_space *space) {
  uint64_t granules = td_block_granule(space->view_frontier);
  return (struct td_view){.base = space->base,
                          .granules = granules,
                          .marks = (uintptr_t)space->marks - (space->base >> TD_GRANULE_LOG2),
                          .blocks = (uintptr_t)space->blocks -
                                    (space->base >> TD_BLOCK_LOG2) * sizeof(struct td_block),
                          .epoch = space->epoch,
                          .white = space->epoch_before,
                          .words = td_space_has_words(space),
                          .bytes = granules << TD_GRANULE_LOG2,
                          .looked_up = space->looked_up,
                          .space = space};
}

static inline bool td_view_is_reference(const struct td_view *v, uintptr_t word) {
  return td_granule_of(v->base, word) < v->granules;
}

static inline uint8_t *td_view_mark(const struct td_view *v, uintptr_t object) {
  return (uint8_t *)(v->marks + (object >> TD_GRANULE_LOG2));
}

/* What the mark byte says of an address. Only the first granules of objects are white or marked,
 * see [start]. So a reference that was gathered from conservative words is met like any other, and
 * only one that points at something else has to be looked up (td_view_inside). */
enum td_met {
  TD_MET_MARKED, /* a marked object begins there */
  TD_MET_WHITE,  /* an unmarked object begins there */
  TD_MET_OTHER,  /* no object begins there: it may lie inside of one, or in a free cell */
};

static inline enum td_met td_view_meet(const struct td_view *v, uintptr_t address) {
  uint8_t mark = td_mark_load(td_view_mark(v, address));
  if (mark == v->white) return TD_MET_WHITE;
  bool marked = (mark & (TD_DEFERRED - 1)) == v->epoch;
  return __builtin_expect(marked, 1) ? TD_MET_MARKED : TD_MET_OTHER;
}

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

/* Returns the start of the cell that an address points into and keeps alive, 0 if there is none or
 * if the address is the start. The cell may be free, or marked if it is a small one. Out of line,
 * because few words need it, and given no pointer to a view: loops keep theirs in registers. */
static __attribute__((noinline)) uintptr_t td_view_inside(const struct td_space *space,
                                                          uintptr_t word) {
  const uint32_t b = td_block_of(space, word);
  if (!td_space_was_used(space, b)) return 0;
  const struct td_block *block = &space->blocks[b];
  if (block->cell_granules == 0) {
    /* Programs that keep all they have in a few long objects have no other words. */
    uintptr_t object = td_space_find(space, word, TD_FROM_HEAP);
    bool white = object && td_mark_load(&space->marks[td_granule_of(space->base, object)]) ==
                               space->epoch_before;
    return white ? object : 0;
  }
  uint32_t granule = (uint32_t)(word >> TD_GRANULE_LOG2) % TD_BLOCK_GRANULES;
  uint32_t start = td_cell_of(block, granule) * block->cell_granules;
  if (start + block->cell_granules > TD_BLOCK_GRANULES) return 0; /* too short for a cell */
  uintptr_t cell = (word & ~(TD_BLOCK_BYTES - 1)) + ((uintptr_t)start << TD_GRANULE_LOG2);
  return cell != word && td_space_counts(space, cell, word) ? cell : 0;
}

/* Returns the reference that a word which may be a pointer goes on as, or 0. That is the word
 * itself, or its granule where it is alike. Nothing is read that would have to be prefetched. */
static inline uintptr_t td_view_word(const struct td_view *v, uintptr_t word) {
  if (word - v->base >= v->bytes) return 0;
  if (__builtin_expect((v->looked_up >> (word & 63) & 1) != 0, 0))
    return td_view_inside(v->space, word);
  return word & ~(TD_GRANULE_BYTES - 1);
}

#endif
