/* SPDX-License-Identifier: MIT */
/* The shape of a compared graph, for the report. */
#ifndef TD_BENCH_MARKING_SHAPE_H
#define TD_BENCH_MARKING_SHAPE_H

#include "bench/marking/comparison.h"

/* Sets graph->profile and graph->about. It takes memory like a heap: call it when the heaps are
 * gone. Returns 0, or an exit status after saying why. */
int td_shape_read(struct td_graph_rows *graph);

#endif
