/* The budget of blocks: what may be in use before the next collection, and what stays committed. */
#ifndef TD_GC_CYCLE_BUDGET_H
#define TD_GC_CYCLE_BUDGET_H

#include "gc/state/heap.h"
#include "gc/when/sizing.h"

/* Sets the budget by what a collection and the time before it showed. used_blocks and
 * external_bytes of the facts are filled in here. */
void td_budget_set(struct tide_heap *heap, struct td_sizing_facts facts);
/* Returns the hard limit in blocks. */
uint32_t td_budget_most(struct tide_heap *heap);
/* Raises the budget by what `blocks` more need. Returns false if the hard limit is reached. */
bool td_budget_grow(struct tide_heap *heap, uint32_t blocks);
/* Returns free memory beyond what the last few budgets wanted to the system. */
void td_budget_trim(struct tide_heap *heap);

#endif
