/* SPDX-License-Identifier: MIT */
/* What the command tells: rows, their figures, and how they are printed, written and drawn. */
#ifndef TD_BENCH_SIMULATE_RESULT_H
#define TD_BENCH_SIMULATE_RESULT_H

#include "bench/cli/host.h"
#include "bench/simulate/run.h"

struct td_simulate_row {
  const char *graph;
  struct td_simulated at;
  double alone_ns;        /* the same engine with one marker */
  uint64_t critical_path; /* of the graph, in objects */
  double measured_ns;     /* on this machine; 0: not measured */
};

struct td_simulate_result {
  struct td_host host;
  struct td_costs costs;
  const char *topology, *policy;
  uint64_t seed, seeds;
  bool validate;
  bool measured_only; /* nothing was simulated: the rows tell times, and no more */
  struct td_simulate_row *rows;
  size_t row_count;
};

double td_simulate_speedup(const struct td_simulate_row *row);
/* Returns the share of the markers' time in which they were not active. */
double td_simulate_idle(const struct td_simulate_row *row);
/* Returns the share of the markers' time that is spent so. */
double td_simulate_spent(const struct td_simulate_row *row, enum td_spent what);
/* Returns the share in which they sleep. */
double td_simulate_asleep(const struct td_simulate_row *row);
/* Returns what no speed-up exceeds: the markers, or the objects per object of the critical path.
 * Where objects were not counted, it is the markers. */
double td_simulate_bound(const struct td_simulate_row *row);
/* Returns the speed-up at which the nodes' memories would have no rest. */
double td_simulate_memory_bound(const struct td_simulate_row *row, const struct td_costs *costs);

/* Returns what the tables call it. */
const char *td_spent_name(enum td_spent what);

/* Return an exit status, after saying what went wrong. A path of NULL is fine. */
int td_simulate_print(const struct td_simulate_result *result, FILE *out);
int td_simulate_write_json(const struct td_simulate_result *result, const char *path);
int td_simulate_plot(const struct td_simulate_result *result, const char *path);

#endif
