/* Where threads run: one CPU each, neighbours first, and how far apart they are. */
#ifndef TD_BENCH_THREADS_CPUS_H
#define TD_BENCH_THREADS_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#define TD_QUEUE_THREADS_MAX 256u

struct td_queue_place {
  unsigned count;                 /* CPUs allowed, at most TD_QUEUE_THREADS_MAX */
  int cpus[TD_QUEUE_THREADS_MAX]; /* thread i runs on cpus[i] */
  unsigned nodes;                 /* NUMA nodes that these CPUs belong to */
  uint32_t *distances;            /* [count * count], row by row; from hwloc */
};

/* Returns false without memory. */
bool td_queue_place_read(struct td_queue_place *place);
void td_queue_place_free(struct td_queue_place *place);

static inline const uint32_t *td_queue_place_row(const struct td_queue_place *place, unsigned i) {
  return place->distances + (uint64_t)i * place->count;
}

#endif
