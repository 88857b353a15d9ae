/* The experiment `single`: one thread, nobody steals. */
#ifndef TD_BENCH_QUEUE_SINGLE_H
#define TD_BENCH_QUEUE_SINGLE_H

#include <stdbool.h>

#include "bench/queue/bench.h"

/* Adds the cells of the experiment. Returns false without memory. */
bool td_queue_single_cells(struct td_queue_bench *bench);

#endif
