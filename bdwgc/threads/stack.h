/* Where stacks begin. */
#ifndef TD_BDWGC_THREADS_STACK_H
#define TD_BDWGC_THREADS_STACK_H

#include "bdwgc/types.h"

/* The program may have switched to another stack since the last call: tells the collector. */
void td_stack_notice(void);
/* The calling thread is the one that GC_stackbottom is about. */
void td_stack_start(void);

#endif
