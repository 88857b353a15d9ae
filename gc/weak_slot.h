/* Weak slots in place: what is registered. */
#ifndef TD_GC_WEAK_SLOT_H
#define TD_GC_WEAK_SLOT_H

#include "gc/base/state.h"

void td_weak_slots_deinit(struct td_weak_slots *slots);

#endif
