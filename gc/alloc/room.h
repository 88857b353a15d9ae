/* Making room for an object, step by step: each is followed by another attempt to take memory. */
#ifndef TD_GC_ALLOC_ROOM_H
#define TD_GC_ALLOC_ROOM_H

#include "gc/state/heap.h"
#include "gc/state/mutator.h"

enum td_room_step {
  TD_STEP_CHECK = 0, /* nothing was asked yet: only the mutator's own run may be taken from */
  TD_STEP_FIRST,     /* now there may be room anywhere */
  TD_STEP_COLLECT,   /* collect, until this thread's own full collection has not helped */
  TD_STEP_GROW,      /* let the heap grow, let go what is kept for checks, ask the embedder */
};

/* What to allocate, and what was done for it. */
struct td_request {
  tide_layout layout;
  size_t bytes;
  bool in_blocks;    /* it is to begin with a block */
  enum td_room room; /* why the last attempt failed */
  enum td_room_step step;
  bool asked;      /* the embedder was */
  unsigned others; /* collections of other threads that were tried */
  uint64_t seen;   /* collections before the last attempt */
};

/* May this thread allocate here and now? If not, it says what is wrong. */
bool td_may_allocate(struct tide_mutator *mutator);
/* Returns false, or whether another attempt is worth while. Then what is wrong is in
 * mutator->alloc_status. */
bool td_make_room(struct tide_mutator *mutator, struct td_request *request);

/* A small object has a cell, a longer one blocks. */
static inline bool td_request_is_small(const struct td_request *request) {
  return request->bytes <= TD_SMALL_BYTES_MAX && !request->in_blocks;
}

#endif
