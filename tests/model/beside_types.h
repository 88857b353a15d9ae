/* SPDX-License-Identifier: MIT */
/* For beside.cpp and beside.c: what the files under test use of headers that are not. Their types
 * have the fields that matter there, and no others. A page has two granules, a slab and a block two
 * pages.
 */
#ifndef TD_TESTS_MODEL_BESIDE_TYPES_H
#define TD_TESTS_MODEL_BESIDE_TYPES_H

#include "tests/model/left_out.h"

#define TD_GC_THREADS_INSIDE_H
#define TD_HEAP_YOUNG_LOG_H
#define TD_MARKER_BASE_STATE_H
#ifdef __cplusplus
#define _Static_assert static_assert
#endif

#define TD_CACHE_LINE 64u
#define TD_PAGE_LOG2 5u
#define TD_PAGE_GRANULES 2u
#define TD_SLAB_LOG2 6u
#define TD_SLAB_BLOCKS 1u
#define TD_BLOCK_LOG2 6u
#define TD_BLOCK_BYTES 64u
#define TD_BLOCK_GRANULES 4u
#define TD_BLOCK_PAGES 2u
enum { TD_KIND_LEAF, TD_KIND_REFS, TD_KIND_TRACED };

struct tide_mutator;
struct td_self;

/* ---- The heap ---- */

struct td_block {
  uint8_t kind;
  uint16_t cell_granules;
};
struct td_space {
  uintptr_t base;
  size_t mark_span;
  uint8_t *marks, *logged_slabs;
  struct td_block *blocks;
  _Atomic(uint8_t) *flags;
  bool has_young, bears_old;
  uint8_t epoch, epoch_before, born;
  uint32_t view_frontier;
  uint64_t looked_up;
};
static inline uint64_t td_granule_of(uintptr_t base, uintptr_t word) {
  uint64_t offset = word - base;
  return offset >> TD_GRANULE_LOG2 | offset << (64 - TD_GRANULE_LOG2);
}
static inline uint32_t td_block_of(const struct td_space *space, uintptr_t address) {
  return (uint32_t)((address - space->base) >> TD_BLOCK_LOG2);
}
static inline uint64_t td_block_granule(uint32_t block) {
  return (uint64_t)block * TD_BLOCK_GRANULES;
}

/* ---- What only conservative words, debug builds and young collections use ---- */

static inline bool td_space_has_words(const struct td_space *space) {
  return false;
}
enum td_from { TD_FROM_HEAP };
static inline bool td_space_was_used(const struct td_space *space, uint32_t block) {
  return false;
}
static inline uintptr_t td_space_find(const struct td_space *space, uintptr_t word,
                                      enum td_from from) {
  return 0;
}
static inline uintptr_t td_space_find_before(const struct td_space *space, uintptr_t word,
                                             enum td_from from) {
  return td_space_find(space, word, from);
}
static inline bool td_holds_object(const struct td_space *space, uint64_t granule) {
  return false;
}
static inline uint32_t td_cell_of(const struct td_block *block, uint32_t granule) {
  return 0;
}
static inline bool td_space_counts(const struct td_space *space, uintptr_t cell, uintptr_t word) {
  return false;
}
#define TD_HOLDS_STOPS
static inline struct td_self *td_inside_begin(void) {
  return NULL;
}
static inline size_t td_space_object_bytes(const struct td_space *space, uintptr_t object) {
  return 0;
}
bool td_written_note(struct tide_mutator *mutator, uintptr_t object, uintptr_t slots, size_t count);
bool td_log_write(struct td_space *space, uintptr_t object, uintptr_t slots, size_t count);
#include "tests/model/barrier_stubs.h"

/* ---- Markers ---- */

struct td_markers {
  struct td_space *space;
  struct td_marker **marker;
  unsigned limit;
  _Atomic(uint32_t) blocks, flagged;
  bool beside;
};
struct td_marker {
  struct td_markers *set;
  unsigned id;
  struct {
    uint64_t objects;
  } stats;
};
bool td_mark_from_outside(struct td_markers *set, uintptr_t word);
bool td_mark_is_behind(const struct td_markers *set);

/* ---- Mutators. Stops come between their steps only ---- */

struct tide_mutator_fast {
  const signed char *marks;
  uintptr_t mark_mask;
};
struct tide_heap;
struct tide_mutator {
  struct tide_mutator_fast fast; /* first */
  struct tide_heap *heap;
  uint64_t logged, overwritten;
};
struct tide_heap {
  struct td_space space;
  struct td_markers *markers;
  const void *concurrent;
  bool marking;
  signed char beside;
  _Atomic(bool) gave;
};
static inline void td_allocation_begin(struct tide_mutator *mutator) {}
static inline void td_allocation_end(struct tide_mutator *mutator) {}

#endif
