/* SPDX-License-Identifier: MIT */
/* Telling of a stop that a mutator does not answer. */
#ifndef TD_GC_THREADS_STOP_LATE_H
#define TD_GC_THREADS_STOP_LATE_H

#include "gc/state/heap.h"

/* A stop that takes this long is told of, and again every TD_LATE_AGAIN_NS. */
#define TD_LATE_NS UINT64_C(1000000000)
#define TD_LATE_AGAIN_NS UINT64_C(10000000000)

/* Writes one line to stderr that names the threads that are waited for. The stopper calls it; self
 * is its mutator, or NULL. */
void td_late_tell(const struct tide_heap *heap, const struct tide_mutator *self,
                  uint64_t waited_ns);

#endif
