/* SPDX-License-Identifier: MIT */
/* The hash table of ephemerons. */
#ifndef TD_GC_WEAK_TABLE_H
#define TD_GC_WEAK_TABLE_H

#include "gc/state/heap.h"

/* The layout of the table's own object. Cannot fail in a fresh heap. */
tide_layout td_weak_table_layout(struct tide_heap *heap);

#endif
