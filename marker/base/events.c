/* SPDX-License-Identifier: MIT */
#include "marker/base/events.h"

#include <stdlib.h>
#include <string.h>

bool td_events_resize(struct td_events *events, unsigned marker, size_t capacity) {
  if (capacity != events->capacity) {
    free(events->at);
    *events = (struct td_events){0};
  }
  if (capacity && !events->at) {
    events->at = malloc(capacity * sizeof *events->at);
    if (!events->at) return false;
    memset(events->at, 0, capacity * sizeof *events->at); /* touch all pages now, not in a pause */
    events->capacity = capacity;
  }
  events->count = 0;
  events->lost = 0;
  events->marker = marker;
  return true;
}

size_t td_events_take(struct td_events *events, struct tide_timeline_event *to, size_t room,
                      uint64_t *lost) {
  size_t count = events->count < room ? events->count : room;
  if (count) memcpy(to, events->at, count * sizeof *to);
  if (lost) *lost += events->lost + (events->count - count);
  events->count = 0;
  events->lost = 0;
  return count;
}

void td_event_write(struct td_events *events, uint64_t ns, enum tide_timeline_kind kind,
                    unsigned other, uint64_t value) {
  if (events->count == events->capacity) {
    events->lost++;
    return;
  }
  events->at[events->count++] = (struct tide_timeline_event){.ns = ns,
                                                             .value = value,
                                                             .marker = (uint16_t)events->marker,
                                                             .other = (uint16_t)other,
                                                             .kind = (uint32_t)kind};
}

void td_naps_tell(struct td_naps *naps, struct td_events *events) {
  uint64_t kept = naps->count < TD_NAPS_MOST ? naps->count : TD_NAPS_MOST;
  if (events->at) events->lost += 2 * (naps->count - kept);
  for (uint64_t i = naps->count - kept; i < naps->count; i++) {
    td_event_at(events, naps->from[i % TD_NAPS_MOST], TIDE_TIMELINE_PARK, 0, 0);
    td_event_at(events, naps->to[i % TD_NAPS_MOST], TIDE_TIMELINE_WAKE, 0, 0);
  }
  naps->count = 0;
}
