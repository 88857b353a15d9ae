/* SPDX-License-Identifier: MIT */
/* The list of spans that marking starts from, and what it is made of: what is registered, and what
 * the sources of roots tell afresh in each collection. */
#ifndef TD_GC_ROOTS_GATHER_H
#define TD_GC_ROOTS_GATHER_H

#include "gc/roots/set.h"

/* ---- Before the stop, under the world's lock ---- */

/* The world runs: asks the sources what there is. Returns false if there is no memory to remember
 * it. */
bool td_sources_before_stop(struct tide_heap *heap);

/* Calls `stop`, which stops the world, inside the functions of those sources that have one for it.
 * Returns false if one of them did not want it: what td_sources_before_stop heard holds no more. */
bool td_sources_stop(struct tide_heap *heap, void (*stop)(void *argument), void *argument);

/* ---- In the stop ---- */

/* Which words of stacks and registers are roots, and which of sources. */
enum td_root_words {
  TD_WORDS_FRESH,   /* those that are there now */
  TD_WORDS_RUNNING, /* the same, but of stacks that mutators run on */
  TD_WORDS_KEPT,    /* those that the last fresh gathering found */
};

/* The locks of roots and of finalizers, whose queue is one. */
void td_roots_lock(struct tide_heap *heap);
void td_roots_unlock(struct tide_heap *heap);

/* World stopped, both held: lists all roots. The list stays valid until the next
 * gathering. Without memory for all of them, `take` is called with some before. */
const struct td_root_list *td_roots_gather(struct tide_heap *heap, enum td_root_words words,
                                           td_root_list_take take, void *context);

/* Does the list tell all that the last collection saw? Else there was no memory for it. */
static inline bool td_roots_are_known(const struct tide_heap *heap) {
  return !heap->roots->list.lost && !heap->roots->told.lost;
}

/* Calls every root callback. */
void td_roots_call_back(struct tide_tracer *tracer, void *heap);
static inline bool td_roots_have_callbacks(const struct tide_heap *heap) {
  return heap->roots->registered[TD_REGISTERED_CALLBACK].count != 0;
}

#endif
