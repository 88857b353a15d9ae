/* SPDX-License-Identifier: MIT */
/* The event log of all markers. */
#include "marker/base/idle.h"
#include "marker/marker.h"

bool td_markers_trace(struct td_markers *set, size_t events) {
  bool done = true;
  td_quiet(set);
  set->event_capacity = events;
  for (unsigned i = 0; i < TIDE_MARKERS_MAX && set->marker[i]; i++)
    done = td_events_resize(&set->marker[i]->events, i, events) && done;
  if (!done) set->event_capacity = 0;
  for (unsigned i = 0; !done && i < TIDE_MARKERS_MAX && set->marker[i]; i++)
    td_events_resize(&set->marker[i]->events, i, 0);
  td_reopen(set, false);
  return done;
}

size_t td_markers_trace_read(struct td_markers *set, struct tide_timeline_event *events,
                             size_t room, uint64_t *lost) {
  size_t count = 0;
  /* Between collections only the collecting thread writes events: see td_marker.naps. */
  for (unsigned i = 0; i < TIDE_MARKERS_MAX && set->marker[i]; i++)
    count +=
        td_events_take(&set->marker[i]->events, events ? events + count : NULL, room - count, lost);
  return count;
}
