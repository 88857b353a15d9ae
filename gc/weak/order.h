/* SPDX-License-Identifier: MIT */
/* Which of the dying objects may be finalized now, of those to which finalizers were added.
 *
 * The rule: an object waits while another dying registered object reaches it; of those that reach
 * each other, the one registered first goes first. That is, of every strongly connected component
 * of the dying registered objects that no other component reaches, the first registered one.
 *
 * They are found by two traversals, as Kosaraju finds components: go through the objects in order
 * of registration and traverse from each that no earlier traversal has met: those are candidates,
 * and everything that reaches a candidate is met from it or from a later candidate. Then go
 * through the candidates backwards, with fresh colours: one that no later candidate has met is
 * reached by nothing outside its own component.
 *
 * Colours are values of mark bytes that no epoch has; a third traversal puts them back. Values of
 * ephemerons do not count as reached here. */
#ifndef TD_GC_WEAK_ORDER_H
#define TD_GC_WEAK_ORDER_H

#include "gc/state/heap.h"

enum td_fate {
  TD_FATE_NONE = 0,
  TD_FATE_CANDIDATE,
  TD_FATE_QUEUE, /* its turn */
};

/* In a collection, which holds the finalizers' lock: sets fate of the entries whose object is
 * unmarked. Returns whether any object is dying. */
bool td_order_dying(struct tide_heap *heap);
/* After that: queues the finalizers whose turn it is, and marks all that dying objects with
 * finalizers reach: each is reached by one whose turn it is. Allocates nothing. */
void td_order_queue(struct tide_heap *heap);

#endif
