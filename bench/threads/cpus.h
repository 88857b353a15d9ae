/* SPDX-License-Identifier: MIT */
/* The CPUs that threads run on: one each, neighbours first, and how far apart they are. */
#ifndef TD_BENCH_THREADS_CPUS_H
#define TD_BENCH_THREADS_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#define TD_CREW_MAX 256u

struct td_cpus {
  unsigned count;          /* CPUs allowed, at most TD_CREW_MAX */
  int number[TD_CREW_MAX]; /* thread i runs on CPU number[i] */
  unsigned nodes;          /* NUMA nodes that these CPUs belong to */
  uint32_t *distances;     /* [count * count], row by row; from hwloc */
};

/* Returns false without memory. */
bool td_cpus_read(struct td_cpus *cpus);
void td_cpus_free(struct td_cpus *cpus);

static inline const uint32_t *td_cpus_distances(const struct td_cpus *cpus, unsigned i) {
  return cpus->distances + (uint64_t)i * cpus->count;
}

#endif
