/* SPDX-License-Identifier: MIT */
/* The experiment `forkjoin`: a scheduler's tasks, over each queue whose owner gets the newest. */
#ifndef TD_BENCH_QUEUE_FORKJOIN_FORKJOIN_H
#define TD_BENCH_QUEUE_FORKJOIN_FORKJOIN_H

#include <stdio.h>

#include "bench/queue/bench.h"

/* Adds the cells of the experiment. Returns false without memory. */
bool td_forkjoin_cells(struct td_queue_bench *bench);

#endif
