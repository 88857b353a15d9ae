/* How a marker takes work from another marker's queue. A part of the template of marker/loop/loop.h
 * that uses the marker and the queues, and nothing of the loop's state. */
#ifndef TD_MARKER_LOOP_STEAL_H
#define TD_MARKER_LOOP_STEAL_H

#include "marker/base/deferred.h"
#include "marker/base/report.h"
#include "marker/base/root_slices.h"
#include "marker/loop/parameters.h"

/* Takes a batch from somebody else's queue into the own one. */
static __attribute__((noinline)) uint32_t steal(struct td_marker *marker, uint64_t *items) {
  struct td_markers *set = marker->set;
  if (td_term_alone(&set->term)) return 0;
  for (unsigned i = 0; i < set->limit; i++) {
    unsigned v = (marker->victim + i) % set->limit;
    if (v == marker->id) continue;
    int32_t count = Q(steal)(set->marker[v]->queue, items, TD_STEAL_MOST);
    if (count > 0) {
      marker->victim = v;
      td_report_steal(marker, v, (uint32_t)count);
      return (uint32_t)count;
    }
    marker->stats.failed_steals++;
  }
  return 0;
}

/* For td_idle: would another try pay? Says what is wished for if not. */
static bool promising(struct td_marker *marker) {
  struct td_markers *set = marker->set;
  if (td_root_slices_left(set) || td_deferred_page(set, 8)) return true;
  for (unsigned v = 0; v < set->limit; v++)
    if (v != marker->id && Q(size)(set->marker[v]->queue) != 0) return true;
  for (unsigned v = 0; v < set->limit; v++)
    if (v != marker->id) Q(want)(set->marker[v]->queue);
  return false;
}

#endif
