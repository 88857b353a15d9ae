/* SPDX-License-Identifier: MIT */
/* The results of `tidemark queue` as charts. */
#ifndef TD_BENCH_QUEUE_PLOT_H
#define TD_BENCH_QUEUE_PLOT_H

#include "bench/queue/bench.h"

/* path NULL: nothing. Returns 0, or an exit status after saying why. */
int td_queue_plot(const struct td_queue_bench *bench, const char *path);

#endif
