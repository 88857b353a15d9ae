/* The set of registered roots. */
#ifndef TD_GC_ROOTS_SET_H
#define TD_GC_ROOTS_SET_H

#include "gc/base/sink.h"
#include "gc/base/state.h"

bool td_roots_init(struct td_root_set *roots);
void td_roots_deinit(struct td_root_set *roots);

#endif
