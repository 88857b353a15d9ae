/* SPDX-License-Identifier: MIT */
/* What cannot be marked beside the program. */
#ifndef TD_GC_CYCLE_OBSTACLE_H
#define TD_GC_CYCLE_OBSTACLE_H

#include "gc/state/heap.h"

/* World stopped. Returns why this heap cannot be marked beside the program just now, or NULL. */
const char *td_beside_obstacle(struct tide_heap *heap);

#endif
