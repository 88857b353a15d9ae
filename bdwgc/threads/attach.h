/* How a thread gets and loses its mutator. */
#ifndef TD_BDWGC_THREADS_ATTACH_H
#define TD_BDWGC_THREADS_ATTACH_H

#include "bdwgc/heap.h"

/* Before there is a heap, whose threads end after ours. */
void td_attach_prepare(void);

/* Registers the calling thread, which has no mutator. */
void td_attach(void);

#endif
