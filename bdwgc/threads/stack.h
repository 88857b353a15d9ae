/* SPDX-License-Identifier: MIT */
/* Where stacks begin. */
#ifndef TD_BDWGC_THREADS_STACK_H
#define TD_BDWGC_THREADS_STACK_H

#include "bdwgc/heap.h"

/* Where the main thread's stack begins. Programs with fibers write it when they switch. */
extern EXPORT char *GC_stackbottom;
extern TD_HIDDEN char *td_stack_bottom; /* GC_stackbottom as the collector knows it */

extern TD_HIDDEN TD_TLS bool
    td_stack_is_main; /* the thread is the one that GC_stackbottom is about */

/* The calling thread is the main one. */
void td_stack_start(void);
/* The calling thread registers and says that its stack begins at `bottom`, or NULL. Returns where
 * it does if that is not on the stack that the system gave the thread, else NULL. What the program
 * has put into GC_stackbottom counts more than what the main thread says. */
void *td_stack_elsewhere(char *bottom);
/* The program may have switched to another stack since the last call: tells the collector. */
void td_stack_notice(void);
/* From now on the thread's stack begins there. Returns false where the collector cannot be told. */
bool td_stack_tell(struct tide_mutator *mutator, char *bottom);

#endif
