/* Fibers: stacks that are not a thread's own. <tide/tide.h> includes this.
 *
 * A mutator whose stack is scanned conservatively may run on further stacks (coroutines, green
 * threads), if it says so. Precise mutators need none of this. */
#ifndef TIDE_FIBER_H
#define TIDE_FIBER_H

#include "tide/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tide_fiber_stack;

/* Registers the stack [low, high), on which only this thread runs. From now on it is a root: all
 * of it until the mutator has run on it (so leave guard pages out), later what lies above the
 * place where the mutator left it.
 *
 * Returns NULL on failure and says why in *error:
 *   TIDE_ERROR_ARGUMENT  low or high is no multiple of 8, or high is not above low
 *   TIDE_ERROR_STATE     it overlaps another stack of this mutator; or the mutator is not the
 *                        caller's, in a blocking region, or in a callback of a collection
 *   TIDE_ERROR_MEMORY    no memory to remember it */
TIDE_API struct tide_fiber_stack *tide_stack_register(struct tide_mutator *mutator, void *low,
                                                      void *high, struct tide_error *error);

/* Tells that the mutator is about to run on that stack; NULL stands for the thread's own. Call it
 * right before the switch, because it notes the registers.
 *
 *   TIDE_ERROR_ARGUMENT  this mutator has no such stack
 *   TIDE_ERROR_STATE     the thread has left its own stack already; or as for tide_stack_register.
 *                        A fiber that has ended may have been left before the call. */
TIDE_API enum tide_status tide_stack_switch(struct tide_mutator *mutator,
                                            struct tide_fiber_stack *to);

/* Tells that the thread's own stack is [low, high) from now on, for programs that switch stacks and
 * keep what lies on the others alive by themselves. A low of NULL stands for as far as the thread
 * gets: what is searched begins where it stands in any case. To be called on that stack, or right
 * before the switch to it.
 *
 *   TIDE_ERROR_ARGUMENT  mutator is NULL, a bound is no multiple of 8, or high is not above low
 *   TIDE_ERROR_STATE     the mutator runs on a registered stack, or its stack is precise; or as for
 *                        tide_stack_register */
TIDE_API enum tide_status tide_stack_set_own(struct tide_mutator *mutator, void *low, void *high);

/* The same for another thread's mutator of the heap, or for `mutator` itself. The world is stopped
 * for it, unless it stands still already: it may be called in the `stopped` of a root source
 * (tide/foreign.h), and holds for the collection that is under way. The other thread must stand on
 * that stack, or be about to switch to it from the one that the system gave it. `other` must stay
 * attached for the length of the call.
 *
 *   TIDE_ERROR_ARGUMENT  a mutator is NULL, or they are of two heaps; or as for tide_stack_set_own
 *   TIDE_ERROR_STATE     `other` runs on a registered stack, or its stack is precise; or, where the
 *                        world runs, as for tide_stack_register */
TIDE_API enum tide_status tide_stack_set_other(struct tide_mutator *mutator,
                                               struct tide_mutator *other, void *low, void *high);

/* Returns the high end of the mutator's own stack, as the system or one of these two told it; NULL
 * for NULL, for another thread's mutator, and if the stack is precise. */
TIDE_API void *tide_stack_own_high(const struct tide_mutator *mutator);

/* Forgets a stack.
 *
 *   TIDE_ERROR_ARGUMENT  this mutator has no such stack
 *   TIDE_ERROR_STATE     the mutator runs on it; or as for tide_stack_register */
TIDE_API enum tide_status tide_stack_unregister(struct tide_mutator *mutator,
                                                struct tide_fiber_stack *stack);

#ifdef __cplusplus
}
#endif
#endif
