/* SPDX-License-Identifier: MIT */
/* The processes of Boehm GC that take part in a comparison, one for each of its rows. */
#ifndef TD_BENCH_MARKING_GUESTS_H
#define TD_BENCH_MARKING_GUESTS_H

#include <stdint.h>

#include "bench/marking/comparison.h"

/* Starts them and waits until each has built the graph that `heap` holds. heap_max_bytes: as asked
 * for, 0 if not. Returns 0, or an exit status after saying why; those that have been started run.
 */
int td_guests_start(struct td_graph_rows *graph, struct tide_heap *heap, uint64_t heap_max_bytes);
void td_guests_stop(struct td_graph_rows *graph);

#endif
