/* SPDX-License-Identifier: MIT */
/* Where a marking phase starts: ranges of memory that hold references. */
#ifndef TD_MARKER_BASE_SPAN_H
#define TD_MARKER_BASE_SPAN_H

#include <stddef.h>
#include <stdint.h>

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

/* What a trace function or root callback of the embedder calls back into. The marker, the serial
 * verifier and the ephemeron closure each have one as the first member of their own state and fill
 * in the functions. gc/object/scan.c defines tide_trace, tide_trace_range and
 * tide_trace_conservative on top of it. */
struct tide_tracer {
  /* `count` reference slots. */
  void (*slots)(struct tide_tracer *tracer, const uintptr_t *slots, size_t count);
  /* One word that may point at or into an object. */
  void (*conservative)(struct tide_tracer *tracer, uintptr_t word);
};

struct td_roots {
  const struct td_span *spans;
  size_t span_count;
  /* Marker 0 calls it once at the start of the phase. It may be NULL. */
  void (*callback)(struct tide_tracer *tracer, void *context);
  void *context;
};

#endif
