/* SPDX-License-Identifier: MIT */
/* The simulated caches and memory: what an access costs the core that makes it.
 *
 * Each core has a cache of its own; cores share last caches as the topology says; behind these are
 * the nodes' memories, over which pages are spread in turn. A line that another core has written
 * comes from that core. Lines that are handed from core to core are handed to one after the other,
 * and a node's memory gives node_gbs bytes per ns.
 *
 * Addresses mean nothing to it, only the order in which lines are first used, so that a run can be
 * repeated. Times are picoseconds. */
#ifndef TD_BENCH_SIMULATE_MACHINE_MEMORY_H
#define TD_BENCH_SIMULATE_MACHINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/simulate/costs.h"
#include "bench/simulate/topology.h"

enum td_sim_access {
  TD_SIM_READ, /* these two go on without waiting for the line: machine/window.h */
  TD_SIM_WRITE,
  TD_SIM_CHANGE,   /* an atomic change: waits for the line, which nobody else may have */
  TD_SIM_PREFETCH, /* asks for the line */
};

/* Returns whether the memory for it could be had. */
bool td_sim_memory_begin(const struct td_sim_topology *topology, const struct td_costs *costs);
/* Other costs from now on. */
void td_sim_memory_costs(const struct td_costs *costs);
/* Empties all caches. */
void td_sim_memory_forget(void);
/* Core `core` accesses the line at `now`. Returns the time at which it goes on. `value`: the word
 * that is read, or 0. */
uint64_t td_sim_memory_access(unsigned core, uintptr_t address, enum td_sim_access access,
                              uint64_t value, uint64_t now);

struct td_sim_memory_counts {
  uint64_t accesses, lines, transfers; /* lines: from memory */
};
struct td_sim_memory_counts td_sim_memory_counts(void);

#endif
