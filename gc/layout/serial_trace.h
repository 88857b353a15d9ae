/* SPDX-License-Identifier: MIT */
/* Trace functions that run one at a time. */
#ifndef TD_GC_LAYOUT_SERIAL_TRACE_H
#define TD_GC_LAYOUT_SERIAL_TRACE_H

#include "gc/state/heap.h"

struct td_serial_trace;
struct td_serial_traces {
  pthread_mutex_t lock; /* held by markers, around functions of tide_layout_traced_serially */
  struct td_serial_trace *traces; /* under the space's lock */
};

void td_serial_traces_deinit(struct tide_heap *heap);

#endif
