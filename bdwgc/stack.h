/* Where stacks begin. */
#ifndef TD_BDWGC_STACK_H
#define TD_BDWGC_STACK_H

#include "bdwgc/types.h"

extern EXPORT char *GC_stackbottom;

#endif
