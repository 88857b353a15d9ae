/* SPDX-License-Identifier: MIT */
/* Where a marking phase starts: ranges of memory that hold references. */
#ifndef TD_MARKER_BASE_SPAN_H
#define TD_MARKER_BASE_SPAN_H

#include <stddef.h>

#include "tide/tide.h"

enum td_span_kind {
  TD_SPAN_SLOTS,        /* start: count reference slots */
  TD_SPAN_INDIRECT,     /* start: count addresses of reference slots */
  TD_SPAN_CONSERVATIVE, /* start: count aligned words; each may point at or into an object */
  TD_SPAN_STACK,        /* the same for words of stacks, which TIDE_INTERIOR_BASE is not for */
  TD_SPAN_OBJECTS,      /* start: count addresses of objects that are marked, to be scanned */
};

struct td_span {
  const void *start;
  size_t count;
  enum td_span_kind kind;
};

struct td_roots {
  const struct td_span *spans;
  size_t span_count;
  /* Marker 0 calls it once at the start of the phase. It may be NULL. */
  void (*callback)(struct tide_tracer *tracer, void *context);
  void *context;
};

#endif
