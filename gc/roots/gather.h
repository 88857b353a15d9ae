/* The list of spans that marking starts from. */
#ifndef TD_GC_ROOTS_GATHER_H
#define TD_GC_ROOTS_GATHER_H

#include "gc/state/heap.h"

/* Which words of stacks and registers are roots. */
enum td_root_words {
  TD_WORDS_FRESH, /* those that are there now */
  TD_WORDS_KEPT,  /* those that the last fresh gathering found */
};

/* World stopped, the roots' lock held. Calls take with spans of all roots: slots, ranges, handles,
 * pending finalizers, and words of stacks. It is called once as a rule, and several times if there
 * is no memory for a list of all spans. The spans stay valid until the next gathering. */
typedef void (*td_roots_take)(struct tide_heap *heap, const struct td_span *spans, size_t count,
                              void *context);
void td_roots_gather(struct tide_heap *heap, enum td_root_words words, td_roots_take take,
                     void *context);

/* Calls every root callback. */
void td_roots_call_back(struct tide_tracer *tracer, void *heap);

#endif
