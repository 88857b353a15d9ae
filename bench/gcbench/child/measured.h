/* SPDX-License-Identifier: MIT */
/* The part of a workload that is measured by itself: it begins when every mutator is ready and ends
 * when every one is through. What the collector did before does not count. */
#ifndef TD_BENCH_GCBENCH_CHILD_MEASURED_H
#define TD_BENCH_GCBENCH_CHILD_MEASURED_H

#include "bench/gcbench/child/work.h"
#include "bench/gcbench/latency.h"

/* Written by one mutator at a time. */
struct gcbench_measured {
  uint64_t operations, run_ns, cpu_ns;
  uint64_t degenerate; /* collections that stopped the program and should not have */
  struct td_latency latency;
};
extern struct gcbench_measured gcbench_measured;

/* Before the first mutator starts. */
void gcbench_measured_open(unsigned mutators);
/* Each mutator calls both. begin returns when it was, the same for all. */
uint64_t gcbench_measured_begin(struct memory *memory);
void gcbench_measured_end(struct memory *memory, uint64_t operations,
                          const struct td_latency *latency);

#endif
