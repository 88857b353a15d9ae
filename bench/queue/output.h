/* SPDX-License-Identifier: MIT */
/* The results of `tidemark queue` as a table and as JSON. */
#ifndef TD_BENCH_QUEUE_OUTPUT_H
#define TD_BENCH_QUEUE_OUTPUT_H

#include <stdio.h>

#include "bench/queue/bench.h"

/* Both return 0, or an exit status after saying what went wrong; path NULL: nothing. */
int td_queue_print(const struct td_queue_bench *bench, FILE *out);
int td_queue_write_json(const struct td_queue_bench *bench, const char *path);

#endif
