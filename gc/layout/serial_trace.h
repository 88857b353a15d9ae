/* Trace functions that run one at a time. */
#ifndef TD_GC_LAYOUT_SERIAL_TRACE_H
#define TD_GC_LAYOUT_SERIAL_TRACE_H

#include "gc/base/state.h"

void td_serial_traces_deinit(struct tide_heap *heap);

#endif
