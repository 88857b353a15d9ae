/* SPDX-License-Identifier: MIT */
/* Stacks that mutators do not run on are searched beside the program, if the collection goes on
 * there: see gc/threads/mutator/rest.h. A stop takes as long for ten thousand fibers as for one. */
#ifndef TD_GC_THREADS_MUTATOR_RESTING_H
#define TD_GC_THREADS_MUTATOR_RESTING_H

#include "gc/arrays/root_list.h"
#include "gc/state/heap.h"
#include "gc/state/mutator.h"
#include "gc/threads/mutator/rest.h"

struct td_resting {
  /* Of the list, but for the number; held for short, and no other is taken under it. */
  pthread_mutex_t lock;
  struct tide_fiber_stack *first; /* of all mutators' stacks that may rest */
  struct tide_fiber_stack *next;  /* the collector looks at it next */
  uint32_t number;                /* [rest]. Written in stop 1, read by mutators */
};

/* A conservative mutator has one more, which counts as searched; or one less. By its thread, or the
 * world is locked. The stack that is removed is searched first. */
void td_resting_add(struct tide_heap *heap, struct tide_fiber_stack *stack);
void td_resting_remove(struct tide_mutator *mutator, struct tide_fiber_stack *stack);

/* World stopped: none was searched but those that mutators run on. */
void td_resting_begin(struct tide_heap *heap);
/* The collector, the program runs: copies the words of all that were not searched to the list, or
 * marks what they lead to if that refuses. Returns how many objects it has marked. */
uint64_t td_resting_search(struct tide_heap *heap, struct td_root_list *list);

void td_resting_search_now(struct tide_mutator *mutator, struct tide_fiber_stack *stack);
/* The mutator is about to go on on the stack. */
static inline void td_resting_enter(struct tide_mutator *mutator, struct tide_fiber_stack *stack) {
  if (mutator->stack_kind == TIDE_STACK_PRECISE) return;
  if (!td_rest_is_over(&stack->rest, mutator->heap->resting->number))
    td_resting_search_now(mutator, stack);
}

#endif
