/* What a marker did and when, for tide_trace_read: off until asked for, and then a few stores at
 * moments that are rare, never per object.
 *
 * Owner: the marker while it is active, else the collecting thread: [term.leave]. The memory is
 * there before a collection begins; when it is full, events are counted as lost. */
#ifndef TD_MARKER_BASE_EVENTS_H
#define TD_MARKER_BASE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/platform.h"
#include "tide/stats.h"

struct td_events {
  struct tide_trace_event *at; /* NULL: nothing is remembered */
  size_t count, capacity;
  uint64_t lost;
  unsigned marker;
};

/* Room for so many, all of it empty; 0: none. false: no memory, and none is remembered. */
bool td_events_resize(struct td_events *events, unsigned marker, size_t capacity);
/* Moves up to `room` of them; the rest is lost as well. */
size_t td_events_take(struct td_events *events, struct tide_trace_event *to, size_t room,
                      uint64_t *lost);

void td_event_write(struct td_events *events, uint64_t ns, enum tide_trace_kind kind,
                    unsigned other, uint64_t value);

static inline void td_event_at(struct td_events *events, uint64_t ns, enum tide_trace_kind kind,
                               unsigned other, uint64_t value) {
  if (__builtin_expect(events->at != NULL, 0)) td_event_write(events, ns, kind, other, value);
}
static inline void td_event(struct td_events *events, enum tide_trace_kind kind, unsigned other,
                            uint64_t value) {
  if (__builtin_expect(events->at != NULL, 0))
    td_event_write(events, td_plat_now_ns(), kind, other, value);
}

/* The times a marker slept since it was last active: it may not write events then. The last few
 * are kept. The marker's own. */
#define TD_NAPS_MOST 8u
struct td_naps {
  uint64_t from[TD_NAPS_MOST], to[TD_NAPS_MOST];
  uint64_t count;
};

static inline void td_naps_add(struct td_naps *naps, uint64_t from, uint64_t to) {
  naps->from[naps->count % TD_NAPS_MOST] = from;
  naps->to[naps->count++ % TD_NAPS_MOST] = to;
}
/* Becomes events, and is forgotten. */
void td_naps_tell(struct td_naps *naps, struct td_events *events);

#endif
