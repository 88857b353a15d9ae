/* SPDX-License-Identifier: MIT */
/* One request for memory. Where there is no room, one step after the other is taken to make some,
 * each followed by another attempt. */
#ifndef TD_GC_ALLOC_REQUEST_H
#define TD_GC_ALLOC_REQUEST_H

#include "gc/state/heap.h"
#include "gc/state/mutator.h"

enum td_room_step {
  TD_STEP_CHECK = 0, /* nothing was asked yet */
  TD_STEP_FIRST,     /* now there may be room anywhere */
  TD_STEP_COLLECT,   /* collect, until this thread's own full collection has not helped */
  TD_STEP_GROW,      /* let the heap grow, let go what is kept for checks, ask the embedder */
};

/* What to allocate; the rest, all zero in the beginning, is what was done for it. */
struct td_request {
  tide_layout layout;
  size_t bytes;
  size_t alignment; /* of a cell's bytes; 0: any */
  bool in_blocks;   /* it is to begin with a block */

  bool unfit;        /* an object of this size does not hold the slots of the layout */
  enum td_room room; /* why the last attempt failed */
  enum td_room_step step;
  bool asked;      /* the embedder was */
  unsigned others; /* collections of other threads that were tried */
  unsigned beside; /* attempts while the last of them went on beside the program */
  uint64_t seen;   /* collections before the last attempt */
  unsigned own;    /* full collections of this thread's */
  bool tried;      /* in one of them it looked before others did, or it cannot collect */
  void *object;    /* that it took so */
};

/* May this thread allocate here and now? If not, it says what is wrong. */
bool td_may_allocate(struct tide_mutator *mutator);
/* Takes memory for an object: attempts, and what makes room between them. Returns NULL if there is
 * none, or if the request is wrong; mutator->alloc_status then says why. */
void *td_allocate(struct tide_mutator *mutator, struct td_request request);

#endif
