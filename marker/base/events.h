/* SPDX-License-Identifier: MIT */
/* The event log of a marker, for tide_timeline_read. It is off until it is asked for. When it is on
 * it costs a few stores at rare moments, never one per object.
 *
 * A log belongs to its marker while that is active, else to the collecting thread: [term.leave].
 * Its memory is allocated before a collection begins. Events that find it full are counted as
 * lost. */
#ifndef TD_MARKER_BASE_EVENTS_H
#define TD_MARKER_BASE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/platform.h"
#include "tide/stats.h"

struct td_events {
  struct tide_timeline_event *at; /* NULL: the log is off */
  size_t count, capacity;
  uint64_t lost;
  unsigned marker;
};

/* Empties the log and gives it room for `capacity` events; 0 turns it off. Returns false if there
 * is no memory; the log is off then. */
bool td_events_resize(struct td_events *events, unsigned marker, size_t capacity);
/* Moves up to `room` events to `to` and returns how many. Those that remain are lost. */
size_t td_events_take(struct td_events *events, struct tide_timeline_event *to, size_t room,
                      uint64_t *lost);

void td_event_write(struct td_events *events, uint64_t ns, enum tide_timeline_kind kind,
                    unsigned other, uint64_t value);

static inline void td_event_at(struct td_events *events, uint64_t ns, enum tide_timeline_kind kind,
                               unsigned other, uint64_t value) {
  if (__builtin_expect(events->at != NULL, 0)) td_event_write(events, ns, kind, other, value);
}
static inline void td_event(struct td_events *events, enum tide_timeline_kind kind, unsigned other,
                            uint64_t value) {
  if (__builtin_expect(events->at != NULL, 0))
    td_event_write(events, td_plat_now_ns(), kind, other, value);
}

/* When a marker slept since it was last active. It may not write to its log then, so it keeps the
 * last few times here, in memory of its own. */
#define TD_NAPS_MOST 8u
struct td_naps {
  uint64_t from[TD_NAPS_MOST], to[TD_NAPS_MOST];
  uint64_t count;
};

static inline void td_naps_add(struct td_naps *naps, uint64_t from, uint64_t to) {
  naps->from[naps->count % TD_NAPS_MOST] = from;
  naps->to[naps->count++ % TD_NAPS_MOST] = to;
}
/* Writes the naps to the log and forgets them. */
void td_naps_tell(struct td_naps *naps, struct td_events *events);

#endif
