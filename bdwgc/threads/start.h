/* SPDX-License-Identifier: MIT */
/* The first call of the process, and of each thread. */
#ifndef TD_BDWGC_THREADS_START_H
#define TD_BDWGC_THREADS_START_H

#include "bdwgc/heap.h"

/* The calling thread's stack begins at `bottom`; NULL: on the stack that the system gave it.
 * Returns false, and fills in the error, if there is no memory to register the thread. */
bool td_bdwgc_try_start(void *bottom, struct tide_error *error);
struct tide_mutator *td_bdwgc_start_slow(void);
/* Creates the heap and registers the calling thread, unless that was done. Returns the thread's
 * mutator. */
static inline struct tide_mutator *td_bdwgc_start(void) {
  return TIDE_LIKELY(td_bdwgc_self) ? td_bdwgc_self : td_bdwgc_start_slow();
}

#endif
