/* SPDX-License-Identifier: MIT */
/* What instructions cost the core that executes them, other than their accesses to memory. */
#ifndef TD_BENCH_SIMULATE_MACHINE_BRANCHES_H
#define TD_BENCH_SIMULATE_MACHINE_BRANCHES_H

#include <stdint.h>

#include "bench/simulate/costs.h"

struct td_sim_branch_counts {
  uint64_t instructions, surprises;
};
extern struct td_sim_branch_counts td_sim_branch_counts; /* of all cores */

void td_sim_branches_begin(const struct td_costs *costs);

#endif
