/* SPDX-License-Identifier: MIT */
/* What a collection finds on the stacks of a mutator. */
#ifndef TD_GC_THREADS_MUTATOR_STACKS_H
#define TD_GC_THREADS_MUTATOR_STACKS_H

#include "gc/arrays/root_list.h"
#include "gc/state/heap.h"

/* World stopped: copies the candidate words of the stack that this mutator runs on to the list. */
void td_stacks_list_running(const struct tide_mutator *mutator, struct td_root_list *list);
/* The same of its other stacks. */
void td_stacks_list_resting(const struct tide_mutator *mutator, struct td_root_list *list);

/* The same of one that nobody runs on, while marking goes on beside the program. Returns false if
 * the list refuses. */
bool td_stacks_copy(const struct tide_heap *heap, const struct tide_fiber_stack *stack,
                    struct td_root_list *list);
/* Or marks what its words lead to. Needs no memory. Returns how many objects. */
uint64_t td_stacks_mark(const struct tide_heap *heap, const struct tide_fiber_stack *stack);

/* The owner, inside td_stack_call: copies the candidate words of the stack that it runs on into the
 * mutator, for as long as a blocking section lasts. Collections meanwhile take these words, too.
 * Returns false if there is no memory for them. */
bool td_stacks_keep(struct tide_mutator *mutator);
/* The section has ended, and no collection is under way that may use the words. */
void td_stacks_drop(struct tide_mutator *mutator);
/* Frees the memory for such words. */
void td_stacks_close(struct tide_mutator *mutator);

#endif
