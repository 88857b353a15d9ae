/* SPDX-License-Identifier: MIT */
/* Ordered arrays in the modes that follow the newest child.
 *
 * An array tells of many objects at once. If these lie in the order of its slots, they need neither
 * queue nor window: each is marked and scanned where it is met, and those some slots on are
 * prefetched. What they refer to is followed as ever. Of any other array, the objects themselves
 * are followed.
 *
 * This is no part of the loop that follows children: the less that has in it, the faster it is. */
#ifndef TD_MARKER_LOOP_ELEMENTS_H
#define TD_MARKER_LOOP_ELEMENTS_H

#include "marker/loop/follow.h"
#include "marker/loop/object.h"
#include "marker/scan/ordered.h"

/* Leaves are marked at once, as everywhere in arrays. Objects scanned here tell nothing of how
 * others are met, which decides the mode. */
TD_INLINE void scan_element(struct loop *l, uintptr_t word) {
  if (!td_leads_to_few(&l->v, word)) {
    visit_element(l, word);
    return;
  }
  if (!claim_at(l, &l->v, &l->o, word)) return;
  l->mode.objects_before++;
  scan_short(l, word, td_view_block(&l->v, word), visit_element);
}

/* Scans the ordered array that comes next. What its objects refer to fills the queue. When that is
 * deep, the objects left go the usual way. */
static __attribute__((noinline, flatten)) void scan_ordered(struct loop *state) {
  struct loop l = *state;
  struct td_array rest = l.ordered;
  l.ordered.to = 0;
  for (; rest.from < rest.to; rest.from++) {
    size_t ahead = rest.from + TD_ORDERED_AHEAD;
    if (rest.from % TD_ORDERED_AHEAD == 0 && Q(size)(l.queue) > TD_DEEP_ITEMS) break;
    if (ahead < rest.to) td_window_prefetch(&l.v, rest.slots[ahead]);
    scan_element(&l, rest.slots[rest.from]);
  }
  td_array_scan_part(&rest, &l.v, visit_element, &l);
  *state = l;
}

#endif
