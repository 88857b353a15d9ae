/* SPDX-License-Identifier: MIT */
/* Handles: precise roots of one mutator, in segments that do not move. */
#ifndef TD_GC_THREADS_MUTATOR_HANDLES_H
#define TD_GC_THREADS_MUTATOR_HANDLES_H

#include "gc/arrays/root_list.h"
#include "gc/state/heap.h"

#define TD_HANDLES_PER_SEGMENT 510u
struct td_handle_segment {
  struct td_handle_segment *below, *above;
  void *slots[TD_HANDLES_PER_SEGMENT];
};

/* World stopped: lists a span for each segment and each local root. */
void td_handles_list(const struct tide_mutator *mutator, struct td_root_list *list);
void td_handles_close(struct tide_mutator *mutator);

#endif
