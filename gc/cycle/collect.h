/* SPDX-License-Identifier: MIT */
/* One collection, from the wish to the resumed world. */
#ifndef TD_GC_CYCLE_COLLECT_H
#define TD_GC_CYCLE_COLLECT_H

#include "gc/state/heap.h"
#include "gc/when/when.h"

enum td_collected {
  TD_COLLECTED,           /* by this thread */
  TD_COLLECTED_BY_OTHER,  /* since `seen` */
  TD_COLLECTED_PAUSED,    /* not at all: the program has paused collecting; */
  TD_COLLECTED_NO_MEMORY, /* or there is no memory to remember the roots */
};
#define TD_SEEN_ANY UINT64_MAX /* whatever others have collected */
/* Collects, unless another thread has done so since *cycles was `seen`. A young collection may turn
 * out a full one, if that is wiser. `then` is NULL, or called before the world goes on: then the
 * collection is not beside the program. */
enum td_collected td_collect_unless(struct tide_mutator *mutator, struct td_wish wish,
                                    uint64_t seen, void (*then)(struct tide_mutator *, void *),
                                    void *argument);

/* Lets a collection begin beside the program, unless one goes on, if this heap has such. Returns
 * whether there is room meanwhile: else td_collect_unless waits for its end. */
bool td_collect_beside(struct tide_mutator *mutator, struct td_wish wish);

/* Collects what is owed (gc/cycle/owed.h), if the program lets it. A safepoint. */
void td_collect_owed(struct tide_mutator *mutator);

/* Collects everything or what is young, and calls `then` in the same stop: the heap then holds what
 * was marked and nothing else. `then` may be NULL. Returns what td_refusal says, or
 * TIDE_ERROR_MEMORY if there is no memory to remember the roots. */
enum tide_status td_collect_and(struct tide_mutator *mutator, const char *function,
                                struct td_wish wish, void (*then)(struct tide_mutator *, void *),
                                void *argument);

#endif
