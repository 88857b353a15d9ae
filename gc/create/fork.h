/* SPDX-License-Identifier: MIT */
/* All heaps of the process, for fork. */
#ifndef TD_GC_CREATE_FORK_H
#define TD_GC_CREATE_FORK_H

#include "gc/state/heap.h"

/* Returns NULL, or says what the system refused. */
const char *td_heaps_add(struct tide_heap *heap);
void td_heaps_remove(struct tide_heap *heap);

#endif
