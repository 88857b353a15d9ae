/* Stacks and registers of mutators as roots.
 *
 * A collection does not scan live stacks: it copies those words that lie inside the heap's range
 * into a list. That is as fast as scanning, keeps the words for a verification afterwards, and
 * does not care if a thread in a blocking region goes on writing its stack. */
#ifndef TD_GC_MUTATOR_STACKS_H
#define TD_GC_MUTATOR_STACKS_H

#include "gc/base/state.h"

/* Calls run with every callee-saved register spilled to the stack, and with the stacks of all the
 * calling thread's mutators described from there on. */
void td_stack_call(void (*run)(void *argument), void *argument);

/* Describes the calling thread's own stack; false: the system does not tell its bounds. */
bool td_stack_init(struct tide_mutator *mutator);
/* Forgets registered stacks. */
void td_stack_deinit(struct tide_mutator *mutator);

/* While roots are gathered: appends the candidate words of this mutator's stacks to
 * roots.stack_words. */
void td_stack_collect(struct tide_heap *heap, struct tide_mutator *mutator);

#endif
