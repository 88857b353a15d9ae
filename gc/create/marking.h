/* SPDX-License-Identifier: MIT */
/* What marking is configured with, where a heap is made. */
#ifndef TD_GC_CREATE_MARKING_H
#define TD_GC_CREATE_MARKING_H

#include "marker/queue/policy.h"
#include "tide/tide.h"

/* Clears *error, or says in its text, with TIDE_OK, that the policy has nothing to choose by and
 * which one is in force instead. */
void td_marking_remark(enum td_policy_kind kind, struct tide_error *error);

#endif
