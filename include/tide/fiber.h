/* SPDX-License-Identifier: MIT */
/* Fibers: stacks that are not a thread's own (coroutines, green threads). See tide/tide.h.
 * Mutators with a conservative stack say when they run on one; precise ones need none of this. */
#ifndef TIDE_FIBER_H
#define TIDE_FIBER_H
#include "tide/base.h"

TIDE_BEGIN
struct tide_fiber_stack;
/* Registers the stack [low, high), on which only this thread runs, as a root: all of it until the
 * mutator has run on it (so leave guard pages out), later what lies above where it left it. With
 * tide_options.concurrent, nobody else overwrites references in it meanwhile.
 *   TIDE_ERROR_ARGUMENT  low or high is no multiple of 8, or high is not above low
 *   TIDE_ERROR_STATE     it overlaps another stack of this mutator */
TIDE_API struct tide_fiber_stack *tide_stack_register(struct tide_mutator *mutator, void *low,
                                                      void *high, struct tide_error *error);

/* Tells that the mutator is about to run on that stack; NULL stands for the thread's own. Call it
 * right before the switch, as it notes the registers; only a fiber that has ended was left before.
 *   TIDE_ERROR_ARGUMENT  this mutator has no such stack
 *   TIDE_ERROR_STATE     the thread has left its own stack already */
TIDE_API enum tide_status tide_stack_switch(struct tide_mutator *mutator,
                                            struct tide_fiber_stack *to);

/* Tells, on that stack or right before the switch to it, that the thread's own is [low, high) now,
 * for programs that switch stacks and keep what lies on the others alive themselves. With a low of
 * NULL it may reach down as far as memory is mapped. The search begins where the thread stands.
 *   TIDE_ERROR_ARGUMENT  a bound is no multiple of 8, or high is not above low
 *   TIDE_ERROR_STATE     the mutator runs on a registered stack, or its stack is precise */
TIDE_API enum tide_status tide_stack_set_own(struct tide_mutator *mutator, void *low, void *high);

/* Forgets a stack.
 *   TIDE_ERROR_ARGUMENT  this mutator has no such stack
 *   TIDE_ERROR_STATE     the mutator runs on it */
TIDE_API enum tide_status tide_stack_unregister(struct tide_mutator *mutator,
                                                struct tide_fiber_stack *stack);
TIDE_END
#endif
