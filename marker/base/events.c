/* Events of markers: rare enough to be written out of line. */
#include "marker/base/events.h"

#include <stdlib.h>
#include <string.h>

#include "marker/base/state.h"
#include "platform/probes.h"

bool td_events_resize(struct td_events *events, unsigned marker, size_t capacity) {
  if (capacity != events->capacity) {
    free(events->at);
    *events = (struct td_events){0};
  }
  if (capacity && !events->at) {
    events->at = malloc(capacity * sizeof *events->at);
    if (!events->at) return false;
    memset(events->at, 0, capacity * sizeof *events->at); /* no page is to be missing later */
    events->capacity = capacity;
  }
  events->count = 0;
  events->lost = 0;
  events->marker = marker;
  return true;
}

size_t td_events_take(struct td_events *events, struct tide_trace_event *to, size_t room,
                      uint64_t *lost) {
  size_t count = events->count < room ? events->count : room;
  if (count) memcpy(to, events->at, count * sizeof *to);
  if (lost) *lost += events->lost + (events->count - count);
  events->count = 0;
  events->lost = 0;
  return count;
}

void td_event_write(struct td_events *events, uint64_t ns, enum tide_trace_kind kind,
                    unsigned other, uint64_t value) {
  if (events->count == events->capacity) {
    events->lost++;
    return;
  }
  events->at[events->count++] = (struct tide_trace_event){.ns = ns,
                                                          .value = value,
                                                          .marker = (uint16_t)events->marker,
                                                          .other = (uint16_t)other,
                                                          .kind = (uint32_t)kind};
}

void td_naps_tell(struct td_naps *naps, struct td_events *events) {
  uint64_t kept = naps->count < TD_NAPS_MOST ? naps->count : TD_NAPS_MOST;
  if (events->at) events->lost += 2 * (naps->count - kept);
  for (uint64_t i = naps->count - kept; i < naps->count; i++) {
    td_event_at(events, naps->from[i % TD_NAPS_MOST], TIDE_TRACE_PARK, 0, 0);
    td_event_at(events, naps->to[i % TD_NAPS_MOST], TIDE_TRACE_WAKE, 0, 0);
  }
  naps->count = 0;
}

/* ---- The tracing loop's ---- */

void td_granted(struct td_marker *marker) {
  marker->stats.grants++;
  td_event(&marker->events, TIDE_TRACE_GRANT, 0, 0);
  TD_PROBE1(grant, marker->id);
}

void td_stolen(struct td_marker *marker, unsigned victim, uint32_t items) {
  marker->stats.steals++;
  marker->stats.stolen_items += items;
  td_event(&marker->events, TIDE_TRACE_STEAL, victim, items);
  TD_PROBE3(steal, marker->id, victim, items);
}

void td_roots_done(struct td_marker *marker, uint64_t begin_ns, size_t slots) {
  uint64_t now = td_plat_now_ns();
  marker->stats.roots_ns += now - begin_ns;
  td_event_at(&marker->events, begin_ns, TIDE_TRACE_ROOTS_BEGIN, 0, slots);
  td_event_at(&marker->events, now, TIDE_TRACE_ROOTS_END, 0, 0);
}
