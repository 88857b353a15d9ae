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

/* In trees and halved arrays the oldest item leads to half of the work, the next one to half of the
 * rest. Of two, a thief takes as much as it can carry and seldom comes. Among many, it would leave
 * the victim with next to nothing, which then comes for work, too; and others find nothing. */
static uint32_t most_from(const struct td_markers *set, uint32_t victim) {
  if (!td_are_many(set)) return TD_STEAL_MOST;
  uint64_t part = 1 + Q(size)(set->marker[victim]->queue) / TD_STEAL_PART;
  return part < TD_STEAL_MOST ? (uint32_t)part : TD_STEAL_MOST;
}

/* Returns the first marker from `victim` on that has something on offer, TD_BITS_NONE if there is
 * none. Asking one after the other would cost a line from another core each time. */
static uint32_t offering(const struct td_marker *marker, uint32_t victim) {
  const struct td_markers *set = marker->set;
  const uint32_t count = td_enough(set);
  uint32_t other = td_bits_next(&set->offers, count, victim % count);
  if (other == marker->id) other = td_bits_next(&set->offers, count, (other + 1) % count);
  return other == marker->id ? TD_BITS_NONE : other;
}

/* Among many, others came to the same queue first. The longer a thief waits, the fewer pull at what
 * there is; then it leaves, and a watcher goes on. */
static void rest_after(const struct td_markers *set, unsigned tries) {
  if (!td_are_many(set)) return;
  for (unsigned i = 0; i < tries * TD_STEAL_PAUSES; i++)
    td_plat_pause();
}

/* Takes items from another marker's queue, in as many tries as there are others, if not many. The
 * victim policy says which to try, or where to begin to look for one that has something on offer.
 * Returns the number of items.
 */
static __attribute__((noinline)) uint32_t steal(struct td_marker *marker, uint64_t *items) {
  struct td_markers *set = marker->set;
  if (td_marker_is_alone(marker)) return 0;
  const bool hinted = td_has_offers(set);
  if (hinted && marker->has_offered)
    td_bits_clear(&set->offers, marker->id); /* before a thief does */
  marker->has_offered = false;
  const unsigned most = td_are_many(set) ? TD_MANY_MARKERS : set->limit;
  for (unsigned tries = 1; tries < most; tries++) {
    uint32_t victim = td_policy_next(&marker->policy);
    if (hinted) victim = offering(marker, victim);
    if (victim == TD_BITS_NONE) return 0;
    int32_t count = Q(steal)(set->marker[victim]->queue, items, most_from(set, victim));
    td_policy_tell(&marker->policy, victim, count > 0);
    if (count > 0) {
      td_report_stolen(marker, victim, (uint32_t)count);
      return (uint32_t)count;
    }
    if (hinted && count == 0) td_bits_clear(&set->offers, victim);
    marker->stats.failed_steals++;
    rest_after(set, tries);
  }
  return 0;
}

/* For td_idle. Returns true if another try would pay: there are root slices, flagged pages, or
 * items in another's queue. Otherwise it tells those whose queues it has looked at that this
 * marker wants work. Of many queues it looks at a few, others each time: with all of them a look
 * would take longer than the end of a phase should, because each costs lines from another core. */
static bool promising(struct td_marker *marker) {
  struct td_markers *set = marker->set;
  if (td_root_slices_left(set) || td_regions_wait(set->regions) || td_deferred_glance(marker))
    return true;
  const bool hinted = td_has_offers(set), many = td_are_many(set);
  if (hinted && td_bits_any(&set->offers, set->limit, marker->id)) return true;
  const unsigned count = many ? TD_LOOK_QUEUES : set->limit, from = many ? marker->look : 0;
  if (many) marker->look = (from + count) % set->limit;
  for (unsigned i = 0; i < count; i++) {
    const unsigned v = (from + i) % set->limit;
    if (v == marker->id || Q(size)(set->marker[v]->queue) == 0) continue;
    if (hinted) td_bits_set(&set->offers, v);
    return true;
  }
  for (unsigned i = 0; i < count; i++) {
    const unsigned v = (from + i) % set->limit;
    if (v != marker->id) Q(want)(set->marker[v]->queue);
  }
  return false;
}

#endif
