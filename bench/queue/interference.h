/* The experiment `interference`: what a second thread costs the first. */
#ifndef TD_BENCH_QUEUE_INTERFERENCE_H
#define TD_BENCH_QUEUE_INTERFERENCE_H

#include <stdbool.h>

#include "bench/queue/bench.h"

/* Adds the cells of the experiment. Returns false without memory. */
bool td_queue_interference_cells(struct td_queue_bench *bench);

#endif
