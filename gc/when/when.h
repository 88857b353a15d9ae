/* When a collection is due: what decides it, and the budget of blocks that may be in use before the
 * next one. */
#ifndef TD_GC_WHEN_WHEN_H
#define TD_GC_WHEN_WHEN_H

#include "gc/state/heap.h"
#include "gc/when/sizing.h"
#include "gc/when/youth.h"

struct td_when {
  /* Under the space's lock. */
  struct td_sizing sizing;
  size_t external_bytes; /* that the program has told of: tide_external_add */

  /* Under the world's lock. */
  uint64_t ended_ns;         /* when the last collection ended */
  uint64_t allocated_before; /* bytes allocated before it */
  /* Since the last full collection: time of mutators, and bytes that were allocated and, as far as
   * one knows, live. Of the latter those that came since the last collection of any kind. */
  uint64_t mutator_ns, grown_bytes, growth_now;
  bool logged_much; /* the young collection that runs came for what was logged */
  struct td_youth youth;
};

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
