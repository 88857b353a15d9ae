/* Where a collection starts. */
#ifndef TD_GC_ROOTS_SET_H
#define TD_GC_ROOTS_SET_H

#include "gc/base/state.h"

bool td_roots_init(struct td_root_set *roots);
void td_roots_deinit(struct td_root_set *roots);

/* A number of words that a collection looks at; counts of 0 are dropped. While spans are being
 * gathered: see td_roots_gather. */
void td_roots_emit(struct tide_heap *heap, enum td_span_kind kind, const void *start, size_t count);

/* While gathering: no memory for more words of stacks. Those listed are handed over, and the list
 * is empty again. */
#define TD_STACK_WORDS_MIN 1024u
void td_roots_flush_words(struct tide_heap *heap);

/* World stopped, roots lock held by the caller. Calls take with spans of all roots: slots, ranges,
 * handles, pending finalizers, and the words of stacks. Usually once; several times if there is
 * no memory for a list of all spans. fresh: look at the stacks; otherwise the words that the last
 * collection found there are used again. The list's memory is good until the next gathering. */
typedef void (*td_roots_take)(struct tide_heap *heap, const struct td_span *spans, size_t count,
                              void *context);
void td_roots_gather(struct tide_heap *heap, bool fresh, td_roots_take take, void *context);

/* Calls every root callback. */
void td_roots_call_back(struct tide_tracer *tracer, void *heap);

#endif
