/* SPDX-License-Identifier: MIT */
/* The experiments `stolen` and `pool`: owners among thieves. */
#ifndef TD_BENCH_QUEUE_SHARED_H
#define TD_BENCH_QUEUE_SHARED_H

#include <stdbool.h>

#include "bench/queue/bench.h"

/* Each adds the cells of its experiment. Returns false without memory. */
bool td_queue_stolen_cells(struct td_queue_bench *bench);
bool td_queue_pool_cells(struct td_queue_bench *bench);

#endif
