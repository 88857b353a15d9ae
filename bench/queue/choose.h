/* SPDX-License-Identifier: MIT */
/* From what was typed to what `tidemark queue` measures. */
#ifndef TD_BENCH_QUEUE_CHOOSE_H
#define TD_BENCH_QUEUE_CHOOSE_H

#include "bench/queue/bench.h"
#include "bench/queue/request.h"

/* Fills an all-zero bench. Returns 0, or an exit status after saying what does not fit; the bench
 * is to be freed either way. */
int td_queue_choose(const struct td_queue_request *request, struct td_queue_bench *bench);

#endif
