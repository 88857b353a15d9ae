/* A marker's view of the space: what the marking loops keep in registers. The tables are indexed by
 * the address of an object itself, so that no subtraction stands between a reference and the loads
 * that it leads to: `marks` is where the mark byte of address 0 would be, and `blocks` likewise. */
#ifndef TD_HEAP_VIEW_H
#define TD_HEAP_VIEW_H

#include "heap/marks.h"

struct td_view {
  uintptr_t base;
  uint64_t granules;
  uintptr_t marks;
  uintptr_t blocks;
  uint8_t epoch;
};

static inline struct td_view td_view_of(const struct td_space *space) {
  return (struct td_view){.base = space->base,
                          .granules = space->granules,
                          .marks = (uintptr_t)space->marks - (space->base >> TD_GRANULE_LOG2),
                          .blocks = (uintptr_t)space->blocks -
                                    (space->base >> TD_BLOCK_LOG2) * sizeof(struct td_block),
                          .epoch = space->epoch};
}

static inline bool td_view_is_reference(const struct td_view *v, uintptr_t word) {
  return td_granule_of(v->base, word) < v->granules;
}

static inline uint8_t *td_view_mark(const struct td_view *v, uintptr_t object) {
  return (uint8_t *)(v->marks + (object >> TD_GRANULE_LOG2));
}

static inline bool td_view_is_marked(const struct td_view *v, uintptr_t object) {
  return (td_mark_load(td_view_mark(v, object)) & (TD_DEFERRED - 1)) == v->epoch;
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

/* Returns the number of the block that the object starts in. */
static inline uint32_t td_view_number(const struct td_view *v, uintptr_t object) {
  return (uint32_t)((object - v->base) >> TD_BLOCK_LOG2);
}

#endif
