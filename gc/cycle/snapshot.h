/* SPDX-License-Identifier: MIT */
/* The roots of a collection that marks beside the program, as they were when it began: the words
 * that lead into the heap are copied while the world stands still. */
#ifndef TD_GC_CYCLE_SNAPSHOT_H
#define TD_GC_CYCLE_SNAPSHOT_H

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
  bool lost; /* there was no memory for some */
};

void td_snapshot_deinit(struct td_snapshot *snapshot);
/* World stopped, the roots' lock held: takes all roots but what root callbacks tell. Returns false
 * if there is no memory for them. */
bool td_snapshot_take(struct td_snapshot *snapshot, struct tide_heap *heap);
/* Marks from them. The program may run. Returns how many bytes they are. */
size_t td_snapshot_mark(const struct td_snapshot *snapshot, struct td_markers *markers);

#endif
