/* SPDX-License-Identifier: MIT */
/* What a trace function or root callback of the embedder calls back into. The marker, the serial
 * verifier and the ephemeron closure each have one as the first member of their own state and fill
 * in the functions. gc/object/scan.c defines tide_trace, tide_trace_range and
 * tide_trace_conservative on top of it. */
#ifndef TD_MARKER_BASE_TRACER_H
#define TD_MARKER_BASE_TRACER_H

#include <stddef.h>
#include <stdint.h>

struct tide_tracer {
  /* `count` reference slots. */
  void (*slots)(struct tide_tracer *tracer, const uintptr_t *slots, size_t count);
  /* One word that may point at or into an object. */
  void (*conservative)(struct tide_tracer *tracer, uintptr_t word);
};

#endif
