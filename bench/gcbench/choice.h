/* SPDX-License-Identifier: MIT */
/* The workloads and the collectors of gcbench. */
#ifndef TD_BENCH_GCBENCH_CHOICE_H
#define TD_BENCH_GCBENCH_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct td_gcbench_workload {
  const char *name, *text;
  unsigned depth;  /* of the trees, if it has some */
  bool is_latency; /* how long each operation takes, not all of them; only if it is asked for */
};

struct td_gcbench_collector {
  const char *name, *text;
  const char *program; /* tidemark-gcbench-PROGRAM */
  const char *package; /* of Debian: missing if the program was not built */
  bool has_young;      /* can collect young objects apart */
  bool is_concurrent;  /* marks while the program runs */
  bool is_for_latency; /* where nothing is chosen, it takes part for that workload only */
  bool is_rare;        /* only if it is asked for */
};

/* Return NULL past the last. */
const struct td_gcbench_workload *td_gcbench_workload_at(size_t index);
const struct td_gcbench_collector *td_gcbench_collector_at(size_t index);

/* Return NULL after saying which there are. */
const struct td_gcbench_workload *td_gcbench_find_workload(const char *name);
const struct td_gcbench_collector *td_gcbench_find_collector(const char *name);

/* Lists all, for --help. */
void td_gcbench_print_choice(FILE *out);

#endif
