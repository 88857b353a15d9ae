/* SPDX-License-Identifier: MIT */
/* The experiment `interference`: what a second thread costs the first. */
#ifndef TD_BENCH_QUEUE_INTERFERENCE_H
#define TD_BENCH_QUEUE_INTERFERENCE_H

#include <stdbool.h>

#include "bench/queue/bench.h"

/* Returns the name of a pattern, by index from 0; NULL past the last. */
const char *td_queue_interference_pattern(size_t index);

/* Adds the cells of the experiment. Returns false without memory. */
bool td_queue_interference_cells(struct td_queue_bench *bench);

#endif
