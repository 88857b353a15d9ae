/* Registered and pending finalizers. */
#ifndef TD_GC_FINALIZER_H
#define TD_GC_FINALIZER_H

#include "gc/base/state.h"

bool td_finalizers_init(struct td_finalizers *finalizers);
void td_finalizers_deinit(struct td_finalizers *finalizers);

#endif
