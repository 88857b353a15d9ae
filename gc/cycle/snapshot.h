/* SPDX-License-Identifier: MIT */
/* The roots of a collection that marks beside the program, as they were when it began: the words
 * that lead into the heap are copied while the world stands still. */
#ifndef TD_GC_CYCLE_SNAPSHOT_H
#define TD_GC_CYCLE_SNAPSHOT_H

#include "gc/arrays/root_list.h"
#include "gc/state/heap.h"

enum td_copied {
  TD_COPIED_SLOTS, /* references */
  TD_COPIED_WORDS, /* words that may be */
  TD_COPIED_STACK, /* the same of stacks that sources have told of */
  TD_COPIED_KINDS,
};

/* The collecting thread's. */
struct td_snapshot {
  struct td_copied_words {
    uintptr_t *at;
    size_t count, capacity;
  } copied[TD_COPIED_KINDS];
  const uintptr_t *stack_words; /* of mutators: in the heap's list of roots */
  size_t stack_count;
  struct td_root_list resting; /* words of stacks that mutators do not run on; it has no spans */
  bool lost;                   /* there was no memory for some */
};

void td_snapshot_deinit(struct td_snapshot *snapshot);
/* World stopped, the roots' lock held: takes all roots but what root callbacks tell, and stacks
 * that mutators do not run on. Returns false if there is no memory for them. */
bool td_snapshot_take(struct td_snapshot *snapshot, struct tide_heap *heap);
/* Searches these stacks, and marks from all. The program may run. Returns how many bytes that was,
 * and adds to *marked how many objects it has marked where words could not be remembered. */
size_t td_snapshot_mark(struct td_snapshot *snapshot, struct tide_heap *heap, uint64_t *marked);

#endif
