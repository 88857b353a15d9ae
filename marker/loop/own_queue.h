/* SPDX-License-Identifier: MIT */
/* Putting items into the marker's own queue. An item for which the queue has no room is deferred.
 */
#ifndef TD_MARKER_LOOP_OWN_QUEUE_H
#define TD_MARKER_LOOP_OWN_QUEUE_H

#include "heap/view.h"
#include "marker/base/deferred.h"
#include "marker/loop/state.h"

/* Defers an object, given as an item. */
static __attribute__((noinline, cold)) void defer(struct td_marker *marker, uint64_t item) {
  if (item & TD_ITEM_GREY)
    td_defer_grey(marker, item & ~TD_ITEM_GREY);
  else
    td_defer(marker, item);
}

TD_INLINE void notice_full(struct loop *l) {
  l->mode.full = true;
  l->poll = 1; /* the next poll, which sees it, comes at once */
}

TD_INLINE void refused(struct loop *l, uint64_t item) {
  defer(l->marker, item);
  notice_full(l);
}

TD_INLINE void put(struct loop *l, uint64_t item) {
  if (__builtin_expect(!Q(put)(l->queue, &l->o, item), 0)) refused(l, item);
}

/* The address, which a conservative word held, is not that of an object. If it lies inside of a
 * cell, that becomes an item; `o` is the owner's part of the queue. */
TD_INLINE void put_inside(struct loop *l, const struct td_view *v, struct Q(owner) * o,
                          uintptr_t address) {
  uintptr_t cell = td_view_inside(v->space, address);
  if (cell && !Q(put)(l->queue, o, cell)) refused(l, cell);
}

#endif
