/* SPDX-License-Identifier: MIT */
/* Objects of the rare kinds: long bitmaps, trace functions, weak references, ephemerons. They are
 * scanned out of line, and what they refer to is handed over in a buffer. */
#ifndef TD_MARKER_SCAN_RARE_H
#define TD_MARKER_SCAN_RARE_H

#include "marker/base/state.h"
#include "marker/scan/scan.h"

/* References that a trace function or root callback has passed. When the buffer is full, they are
 * deferred. */
struct td_trace_buffer {
  struct tide_tracer tracer; /* must be first: the functions get its address */
  struct td_marker *marker;
  uint32_t count;
  uintptr_t items[TD_TRACE_BUFFER]; /* objects whose marks were not looked at */
};

void td_trace_buffer_init(struct td_trace_buffer *buffer, struct td_marker *marker);
/* Defers all references that are in the buffer. */
void td_trace_buffer_flush(struct td_trace_buffer *buffer);

/* Scans an object that is neither leaf nor array and has no short bitmap. Returns what it refers to
 * in the buffer, which need not be initialised. */
void td_scan_rare_into(struct td_marker *marker, uintptr_t object, struct td_trace_buffer *buffer);

/* Scans such an object. */
TD_INLINE void td_scan_rare(struct td_marker *marker, uintptr_t object, td_visit visit,
                            void *context) {
  struct td_trace_buffer buffer;
  td_scan_rare_into(marker, object, &buffer);
  uint32_t count = buffer.count;
  for (uint32_t i = 0; i < count; i++)
    visit(context, buffer.items[i]);
}

#endif
