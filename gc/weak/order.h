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
 * ephemerons do not count as reached here.
 *
 * Beside the program the order is found before the stop that needs it, with bits for colours. What
 * dies cannot change meanwhile: the program had no reference to it when marking began, and what it
 * has got hold of since, with all that this reaches, is marked when the stop comes. For the same
 * reason nothing that is marked then refers to what dies. So of those that die the order is what it
 * was; the others drop out. */
#ifndef TD_GC_WEAK_ORDER_H
#define TD_GC_WEAK_ORDER_H

#include "gc/state/heap.h"

enum td_fate {
  TD_FATE_NONE = 0,
  TD_FATE_CANDIDATE,
  TD_FATE_QUEUE, /* its turn */
};

/* Beside the program, when marking seems to be over. Takes the lock for short. */
void td_order_beside(struct tide_heap *heap);
/* After such a collection: gives its memory back. */
void td_order_forget(struct tide_heap *heap);
/* In a collection, which holds the finalizers' lock: finds the order, unless that was done beside
 * the program. Returns whether any object is dying. */
bool td_order_dying(struct tide_heap *heap);
/* After that: queues the finalizers whose turn it is, and marks all that dying objects with
 * finalizers reach: each is reached by one whose turn it is. Allocates nothing. */
void td_order_queue(struct tide_heap *heap);

#endif
