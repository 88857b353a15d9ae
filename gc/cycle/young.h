/* What is special about collections of young objects. */
#ifndef TD_GC_CYCLE_YOUNG_H
#define TD_GC_CYCLE_YOUNG_H

#include "gc/state/heap.h"
#include "gc/when/youth.h"

/* After td_mark_begin: marks what logged objects and slots lead to. */
void td_young_mark_logged(struct tide_heap *heap);

/* At the beginning of a heap. */
void td_young_begin(struct tide_heap *heap);
/* After any collection, the world stopped: says when the next young one is due, or that the heap
 * waits with them. asked: it was the program that wanted a collection now. */
void td_young_plan(struct tide_heap *heap, struct td_youth_facts facts, bool asked);
/* Should a young collection that is wanted be a full one? Under the world's lock. */
bool td_young_is_unwise(const struct tide_heap *heap, enum tide_cycle_cause cause);
/* The budget is used up: is enough of it young to try a young collection before a
 * full one? Any mutator may ask. */
bool td_young_may_do(struct tide_heap *heap);

#endif
