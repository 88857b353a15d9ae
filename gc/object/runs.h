/* The bump-allocation runs of a mutator: one per layout and size class, in one table. */
#ifndef TD_GC_OBJECT_RUNS_H
#define TD_GC_OBJECT_RUNS_H

#include "gc/state/heap.h"
#include "gc/state/mutator.h"

/* Tables of runs that mutators have left. Under the world's lock. */
#define TD_POOLED_TABLES 16u
struct td_run_pool {
  struct tide_bump *tables[TD_POOLED_TABLES];
  unsigned count;
};

/* Before the first mutator. Returns false if there is no address space. */
bool td_runs_prepare(void);
/* After the last one. */
void td_runs_end(void);

/* A table for the mutator, under the world's lock. Returns false if there is no memory. */
bool td_runs_open(struct tide_heap *heap, struct tide_mutator *mutator);
/* Gives the table back, its runs retired before. Under the world's lock. */
void td_runs_close(struct tide_heap *heap, struct tide_mutator *mutator);
/* At the end of a heap: frees the tables that are kept for the next mutators. */
void td_runs_free_pool(struct tide_heap *heap);

/* The cell of a small object, in bytes, and the run of a layout that has such cells. */
static inline size_t td_runs_cell(size_t bytes) {
  return (bytes + TD_GRANULE_BYTES - 1) & ~(size_t)(TD_GRANULE_BYTES - 1);
}
static inline uint32_t td_runs_index(tide_layout layout, size_t cell) {
  return (uint32_t)layout * TIDE_BUMP_SLOTS + (uint32_t)(cell >> TD_GRANULE_LOG2);
}

/* Lets inlined code see the mutator's runs, or empty ones where it may not allocate. */
void td_runs_show(struct tide_mutator *mutator);
/* Returns the empty ones. */
struct tide_bump *td_runs_none(void);
/* Gives the unused rests of all runs back. World stopped. Runs of which an interrupted mutator may
 * be about to take a cell are held instead, until td_runs_hand_back. */
void td_runs_retire(struct tide_mutator *mutator);
/* The same for the owner that detaches. */
void td_runs_drop(struct tide_mutator *mutator);
void td_runs_hand_back(struct tide_mutator *mutator);
/* Cells that the program has freed, kept by the mutator that freed them. They count as allocated
 * until it takes them again, or until the next collection, which forgets them. The first word of
 * such a cell is a link, the second tells that it was freed. */
void td_runs_put_freed(struct tide_mutator *mutator, uint32_t index, uintptr_t cell);
/* What the second word says. */
static inline uintptr_t td_runs_seal(uintptr_t cell) {
  return cell ^ (uintptr_t)0x5eed0ff5ce11f4eeu;
}
static inline bool td_runs_is_freed(uintptr_t cell) {
  return ((const uintptr_t *)cell)[1] == td_runs_seal(cell);
}
/* Returns a cell of `bytes`, zeroed unless its layout says unzeroed; or NULL. */
void *td_runs_take_freed_slow(struct tide_mutator *mutator, uint32_t index, size_t bytes);
static inline void *td_runs_take_freed(struct tide_mutator *mutator, uint32_t index, size_t bytes) {
  return mutator->freed_count ? td_runs_take_freed_slow(mutator, index, bytes) : NULL;
}

/* Adds the bytes that this mutator was handed, and has freed, to the heap's counts. */
void td_runs_flush_counts(struct tide_mutator *mutator);

#endif
