/* SPDX-License-Identifier: MIT */
/* One row of the simulation: one engine, one number of markers, one seed. Each row is simulated by
 * a process of its own, which is a copy of the one that has built the graph. So all rows begin with
 * the same heap and the same library, whatever was simulated before. */
#ifndef TD_BENCH_SIMULATE_MACHINE_ROW_H
#define TD_BENCH_SIMULATE_MACHINE_ROW_H

#include <stdint.h>

#include "bench/simulate/topology.h"
#include "bench/subject/subject.h"

struct td_sim_row {
  struct td_subject *subject; /* its policy is set */
  const struct td_sim_topology *topology;
  const char *engine;
  unsigned markers;
  bool warm; /* caches keep what the collection before has left there */
  uint32_t seed;
  unsigned waits; /* places to tell of, where markers wait longest */
};

/* Prints the row on standard output. Returns an exit status, after saying what went wrong. */
int td_sim_row(const struct td_sim_row *row);

#endif
