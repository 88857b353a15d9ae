/* SPDX-License-Identifier: MIT */
/* Are the registered roots still there? */
#ifndef TD_GC_CHECK_READABLE_H
#define TD_GC_CHECK_READABLE_H

#include "gc/state/heap.h"

/* Ends the process with a message if memory that was registered as a root cannot be read, before a
 * marker meets it. A system call for each page of roots, so TIDE_VERIFY=1 only. World stopped, the
 * roots' lock held. */
void td_roots_demand_readable(const struct tide_heap *heap);

#endif
