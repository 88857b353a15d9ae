/* SPDX-License-Identifier: MIT */
/* What happens between the end of marking from roots and sweeping, in this order:
 *   1  Weak references of kind BEFORE to unmarked objects are cleared.
 *   2  Dying objects with finalizers are found. If there are any, those whose turn it is are
 *      queued (gc/weak/order.h) and marked with all that they reach. That may resurrect weak
 *      references which were not marked until then. So before the marking, all unmarked weak
 *      references of kind BEFORE are cleared too, unless their target is marked.
 *   3  Ephemerons are closed once more, then emptied where the key stays unmarked.
 *   4  Weak references of kind AFTER to unmarked objects are cleared.
 * Weak slots in place go with the references of their kind; slots in what is unmarked in the end
 * are forgotten. Objects that have one finalizer of their own come after those of 2
 * (gc/foreign/settle.h). */
#ifndef TD_GC_CYCLE_RECLAIM_H
#define TD_GC_CYCLE_RECLAIM_H

#include "gc/state/heap.h"

void td_reclaim(struct tide_heap *heap);

#endif
