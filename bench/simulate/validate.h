/* SPDX-License-Identifier: MIT */
/* Markings on this machine, for comparison. */
#ifndef TD_BENCH_SIMULATE_VALIDATE_H
#define TD_BENCH_SIMULATE_VALIDATE_H

#include <stddef.h>
#include <stdint.h>

#include "workloads/spec.h"

struct td_real_marking {
  const struct td_graph_spec *spec;
  const char *const *engines;
  size_t engine_count;
  const uint64_t *markers;
  size_t marker_count;
  unsigned rounds;
  const char *policy;
  uint64_t heap_max_bytes;
};

/* Others on the machine only ever slow a marking down, and costs are the least that was measured.
 *
 * Marks in interleaved rounds and stores the least time of each engine and number of markers, in
 * this order. Returns an exit status, after saying what went wrong. */
int td_mark_really(const struct td_real_marking *marking, double *ns);

#endif
