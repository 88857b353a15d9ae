/* SPDX-License-Identifier: MIT */
/* Making the registers and the stacks of the calling thread visible to a collection. */
#ifndef TD_GC_THREADS_STOP_REGISTERS_H
#define TD_GC_THREADS_STOP_REGISTERS_H

#include "gc/state/heap.h"

/* For functions that read whole stacks: they read red zones, and other threads' frames, on
 * purpose. */
#define TD_READS_STACKS __attribute__((no_sanitize("address", "thread", "undefined"), noinline))

/* Is this an address of the stack? The low end of a stack that grows is where it was when it was
 * asked for; below that the answer costs system calls. */
bool td_stack_holds(const struct tide_fiber_stack *stack, uintptr_t address);

/* Calls run with every callee-saved register spilled to the stack, and with the stacks of all the
 * calling thread's mutators described from there on. */
void td_stack_call(void (*run)(void *argument), void *argument);

/* Zeroes the stack below the caller as far as marking uses it. What it has left there are
 * references to objects, and the program's next frames may lie over it for long without writing to
 * all of it: these objects would stay alive. */
void td_stack_clear_below(void);

/* The thread stands still, and where its stacks lie has changed: finds out anew on which it does.
 */
void td_stack_place(struct tide_mutator *mutator);

/* Describes a stack that the thread is about to leave for another. `end` is the frame of the
 * embedder's function: the stack is described from there on. What lies below it is copied. */
void td_stack_describe_left(struct tide_fiber_stack *stack, void *end);

/* The frames that AddressSanitizer moved to a stack of its own. Returns false if `word` does not
 * lie in such a frame of the fake stack; else [*begin, *end) is the frame. */
bool td_stack_fake_frame(void *fake, void *word, void **begin, void **end);

#endif
