/* SPDX-License-Identifier: MIT */
/* A safepoint, without what may be owed (gc/cycle/owed.h). */
#ifndef TD_GC_THREADS_MUTATOR_SAFEPOINT_H
#define TD_GC_THREADS_MUTATOR_SAFEPOINT_H

#include "gc/state/mutator.h"

/* Stands still if the world is being stopped. Returns false if the thread may not do that here. */
bool td_safepoint(struct tide_mutator *mutator);

#endif
