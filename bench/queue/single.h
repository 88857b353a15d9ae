/* SPDX-License-Identifier: MIT */
/* The experiment `single`: one thread, nobody steals. */
#ifndef TD_BENCH_QUEUE_SINGLE_H
#define TD_BENCH_QUEUE_SINGLE_H

#include <stdbool.h>

#include "bench/queue/bench.h"

/* Returns the name of a pattern, by index from 0; NULL past the last. */
const char *td_queue_single_pattern(size_t index);

/* Adds the cells of the experiment. Returns false without memory. */
bool td_queue_single_cells(struct td_queue_bench *bench);

#endif
