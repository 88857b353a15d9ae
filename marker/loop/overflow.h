/* SPDX-License-Identifier: MIT */
/* Mode ADDRESS_ORDER: the queue was full, so the frontier is dense. The marker defers all its work
 * and scans the heap in address order with everybody else's deferred work. */
#ifndef TD_MARKER_LOOP_OVERFLOW_H
#define TD_MARKER_LOOP_OVERFLOW_H

#include "marker/loop/address_order.h"
#include "marker/loop/depth_first.h"
#include "marker/loop/own_queue.h"

#define REFUSALS_MOST (1u << 20)
#define DEFERRED_AT_ONCE 64u

/* Defers what is in the queue. If the queue stayed full, marking would come back here at once.
 * Thieves find the work by the flags of its pages. A slice cannot be deferred: it stays, and with
 * it all items below. */
TD_INLINE void defer_queue(struct loop *l) {
  uint64_t items[DEFERRED_AT_ONCE], item;
  uint32_t count = 0;
  while ((item = Q(get)(l->queue, &l->o)) != 0 && !(item & TD_ITEM_SLICE)) {
    items[count++] = item;
    if (count < DEFERRED_AT_ONCE) continue;
    td_defer_items(l->marker, items, count);
    count = 0;
  }
  td_defer_items(l->marker, items, count);
  if (item && !Q(put)(l->queue, &l->o, item)) scan_slice(l, item, visit_element);
}

TD_INLINE void defer_all(struct loop *l) {
  defer_queue(l);
  if (l->next) defer(l->marker, l->next);
  l->next = 0;
  while (l->window.count > 0)
    defer(l->marker, td_window_take(&l->window));
  while (!td_batch_is_empty(&l->batch)) {
    for (uint32_t i = 0; i < l->batch.waiting; i++)
      defer(l->marker, l->batch.other[i]);
    td_batch_turn(&l->batch, &l->v);
  }
  if (l->walk.page) td_deferred_flag(l->marker, l->walk.page);
  l->walk.page = 0;
}

TD_INLINE void drain_in_address_order(struct loop *l) {
  struct mode_choice *m = &l->mode;
  l->marker->stats.overflows++;
  defer_all(l);
  /* If passes over the heap find next to nothing, the queue is merely too short for this graph.
   * Then ever more refused items are deferred one by one before the next pass. */
  bool paid = td_mark_in_address_order(l->marker);
  m->refusals = paid ? 1 : m->refusals * 2;
  if (m->refusals > REFUSALS_MOST) m->refusals = REFUSALS_MOST;
  m->refusals_left = m->refusals;
  m->full = false;
}

#endif
