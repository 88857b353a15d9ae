/* Trace functions of which one at a time runs. */
#ifndef TD_GC_LAYOUT_ALONE_H
#define TD_GC_LAYOUT_ALONE_H

#include "gc/base/state.h"

void td_alone_deinit(struct tide_heap *heap);

#endif
