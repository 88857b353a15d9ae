/* SPDX-License-Identifier: MIT */
/* A recording of what markers did, as a file in the Trace Event Format.
 *
 * A span is what a marker does between two events. Times are relative to the first event of all.
 * The spans of one marker nest, so that viewers stack them: roots, testing and visits of regions
 * lie inside its active time, parks inside its idle time. */
#ifndef TD_BENCH_COMPARE_TRACE_FILE_H
#define TD_BENCH_COMPARE_TRACE_FILE_H

#include "bench/marking/trace.h"

/* Returns 0, or an exit status after saying what went wrong. */
int td_trace_write(const struct td_trace *trace, const char *path);

#endif
