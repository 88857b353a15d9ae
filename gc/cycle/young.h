/* SPDX-License-Identifier: MIT */
/* What is special about collections of young objects. */
#ifndef TD_GC_CYCLE_YOUNG_H
#define TD_GC_CYCLE_YOUNG_H

#include "gc/state/heap.h"

/* After td_mark_begin: marks what logged objects and slots lead to. Returns whether it was
 * so much that a young collection had to come for it. */
bool td_young_mark_logged(struct tide_heap *heap);

/* At the beginning of a heap. */
void td_young_begin(struct tide_heap *heap);
/* After a collection, the world stopped: what was decided comes into force. was_on: young
 * collections happened before. */
void td_young_follow(struct tide_heap *heap, bool was_on);

#endif
