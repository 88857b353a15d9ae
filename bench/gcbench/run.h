/* SPDX-License-Identifier: MIT */
/* One run of a workload of gcbench, in a process of its own (bench/gcbench/child/child.c).
 *
 * Errors are said on stderr. Functions return an exit status, 0 if all is well. */
#ifndef TD_BENCH_GCBENCH_RUN_H
#define TD_BENCH_GCBENCH_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/gcbench/latency.h"
#include "bench/gcbench/pauses.h"

struct td_gcbench_task {
  const char *workload, *collector;
  const char *program;        /* the collector's: tidemark-gcbench-PROGRAM */
  unsigned mutators, markers; /* markers 0: the collector's default */
  unsigned depth;
  uint64_t operations;
  uint64_t live_bytes;     /* of service's cache and latency's map; interp takes a 16th */
  uint64_t heap_max_bytes; /* 0: no limit */
  uint64_t run_ns, rate;   /* of latency: how long, and operations a second; 0: all that fit */
  bool young;              /* collect young objects apart, where the collector can */
  bool concurrent;         /* mark while the program runs, the same */
};

struct td_gcbench_result {
  uint64_t total_ns, collect_ns;
  struct td_pause_lengths all, young; /* young: of young collections alone */
  uint64_t peak_bytes;
  uint64_t collections, full_collections; /* full: not of young objects only */
  struct td_pauses pauses;
  /* Of latency: what was measured, and collections that should not have stopped the program. */
  uint64_t operations, run_ns, cpu_ns, degenerate;
  struct td_latency latency;
  uint64_t sum; /* equal for equal work, whatever the collector */
};

/* Returns whether the collector's program was built and can be found. */
bool td_gcbench_is_there(const char *program);

int td_gcbench_run(const struct td_gcbench_task *task, struct td_gcbench_result *result);

#endif
