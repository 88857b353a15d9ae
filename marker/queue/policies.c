/* SPDX-License-Identifier: MIT */
/* The library's victim policies. */
#include "marker/queue/policies.h"

const struct td_policy_kind *const td_policies[] = {&td_policy_random, &td_policy_best_of_two,
                                                    NULL};
