/* Which pointers into objects count. */
#ifndef TD_BDWGC_THREADS_INTERIOR_H
#define TD_BDWGC_THREADS_INTERIOR_H

#include "bdwgc/types.h"

/* Tells the heap, which has just been made, what the program has set before. */
void td_bdwgc_interior_start(void);

#endif
