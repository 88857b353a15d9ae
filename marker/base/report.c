/* SPDX-License-Identifier: MIT */
#include "marker/base/report.h"

#include "platform/probes.h"

void td_report_granted(struct td_marker *marker) {
  marker->stats.grants++;
  td_event(&marker->events, TIDE_TIMELINE_GRANT, 0, 0);
  TD_PROBE1(grant, marker->id);
}

void td_report_stolen(struct td_marker *marker, unsigned victim, uint32_t items) {
  marker->stats.steals++;
  marker->stats.stolen_items += items;
  td_event(&marker->events, TIDE_TIMELINE_STEAL, victim, items);
  TD_PROBE3(steal, marker->id, victim, items);
}

void td_report_roots(struct td_marker *marker, uint64_t begin_ns, size_t slots) {
  uint64_t now = td_plat_now_ns();
  marker->stats.roots_ns += now - begin_ns;
  td_event_at(&marker->events, begin_ns, TIDE_TIMELINE_ROOTS_BEGIN, 0, slots);
  td_event_at(&marker->events, now, TIDE_TIMELINE_ROOTS_END, 0, 0);
}
