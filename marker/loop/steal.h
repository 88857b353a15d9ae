/* SPDX-License-Identifier: MIT */
/* How a marker takes work from another marker's queue. A part of the template of marker/loop/loop.h
 * that uses the marker and the queues, and nothing of the loop's state. */
#ifndef TD_MARKER_LOOP_STEAL_H
#define TD_MARKER_LOOP_STEAL_H

#include "marker/base/deferred.h"
#include "marker/base/report.h"
#include "marker/base/root_slices.h"
#include "marker/loop/parameters.h"
#include "marker/region/regions.h"

/* Returns the first marker from `victim` on that has something on offer, TD_BITS_NONE if there is
 * none. Asking one after the other would cost a line from another core each time. */
static uint32_t offering(const struct td_marker *marker, uint32_t victim) {
  const struct td_markers *set = marker->set;
  const uint32_t count = td_enough(set);
  uint32_t other = td_bits_next(&set->offers, count, victim % count);
  if (other == marker->id) other = td_bits_next(&set->offers, count, (other + 1) % count);
  return other == marker->id ? TD_BITS_NONE : other;
}

/* Takes items from another marker's queue, in as many tries as there are others, if not many. The
 * victim policy says which to try, or where to begin to look for one that has something on offer.
 * Returns the number of items.
 */
static __attribute__((noinline)) uint32_t steal(struct td_marker *marker, uint64_t *items) {
  struct td_markers *set = marker->set;
  if (td_term_alone(&set->term)) return 0;
  const bool hinted = td_has_offers(set);
  if (hinted && marker->has_offered)
    td_bits_clear(&set->offers, marker->id); /* before a thief does */
  marker->has_offered = false;
  const unsigned most = set->limit < TD_MANY_MARKERS ? set->limit : TD_MANY_MARKERS;
  for (unsigned tries = 1; tries < most; tries++) {
    uint32_t victim = td_policy_next(&marker->policy);
    if (hinted) victim = offering(marker, victim);
    if (victim == TD_BITS_NONE) return 0;
    int32_t count = Q(steal)(set->marker[victim]->queue, items, TD_STEAL_MOST);
    td_policy_tell(&marker->policy, victim, count > 0);
    if (count > 0) {
      td_report_stolen(marker, victim, (uint32_t)count);
      return (uint32_t)count;
    }
    if (hinted && count == 0) td_bits_clear(&set->offers, victim);
    marker->stats.failed_steals++;
  }
  return 0;
}

/* For td_idle. Returns true if another try would pay: there are root slices, flagged pages, or
 * items in another's queue. Otherwise it tells the others that this marker wants work. */
static bool promising(struct td_marker *marker) {
  struct td_markers *set = marker->set;
  if (td_root_slices_left(set) || td_regions_wait(set->regions) || td_deferred_find(marker, 0))
    return true;
  const bool hinted = td_has_offers(set);
  if (hinted && td_bits_any(&set->offers, set->limit, marker->id)) return true;
  for (unsigned v = 0; v < set->limit; v++) {
    if (v == marker->id || Q(size)(set->marker[v]->queue) == 0) continue;
    if (hinted) td_bits_set(&set->offers, v);
    return true;
  }
  for (unsigned v = 0; v < set->limit; v++)
    if (v != marker->id) Q(want)(set->marker[v]->queue);
  return false;
}

#endif
