/* SPDX-License-Identifier: MIT */
/* The simulated machine: cores, last caches, packages, memory nodes. From a synthetic topology of
 * hwloc. */
#ifndef TD_BENCH_SIMULATE_TOPOLOGY_H
#define TD_BENCH_SIMULATE_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#define TD_SIM_CORES_MAX 512u

/* How far a core is from another: the smallest thing that holds both. */
enum td_sim_distance { TD_SIM_SAME_CACHE, TD_SIM_SAME_PACKAGE, TD_SIM_SAME_MACHINE };

struct td_sim_core_place {
  uint16_t cache, package, node;
};

struct td_sim_topology {
  unsigned cores, caches, packages, nodes;
  uint64_t cache_bytes; /* of a last cache */
  struct td_sim_core_place core[TD_SIM_CORES_MAX];
};

/* Reads a synthetic description. Returns NULL, or what is wrong with it. */
const char *td_sim_topology_read(struct td_sim_topology *topology, const char *description);

static inline enum td_sim_distance td_sim_distance(const struct td_sim_topology *topology,
                                                   unsigned a, unsigned b) {
  const struct td_sim_core_place *x = &topology->core[a], *y = &topology->core[b];
  if (x->cache == y->cache) return TD_SIM_SAME_CACHE;
  return x->package == y->package ? TD_SIM_SAME_PACKAGE : TD_SIM_SAME_MACHINE;
}

#endif
