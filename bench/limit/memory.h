/* SPDX-License-Identifier: MIT */
/* What the memory of this machine can do with nothing else in the way. */
#ifndef TD_BENCH_LIMIT_MEMORY_H
#define TD_BENCH_LIMIT_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "bench/cli/samples.h"
#include "bench/threads/cpus.h"

#define TD_LIMIT_FIGURES_MAX 64u

struct td_limit_figure {
  char name[64];
  const char *unit;
  struct td_samples samples; /* one per round */
};

struct td_limit_memory {
  size_t bytes; /* the memory that the loads wander over */
  unsigned rounds;
  double run_ms; /* about how long one run takes */
  const struct td_cpus *cpus;
  struct td_limit_figure figures[TD_LIMIT_FIGURES_MAX];
  size_t figure_count;
};

/* Measures with one CPU and, if there are more, with two. Returns 0, or an exit status after saying
 * why not. */
int td_limit_memory_run(struct td_limit_memory *limit);
void td_limit_memory_free(struct td_limit_memory *limit);

#endif
