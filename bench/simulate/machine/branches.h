/* What instructions cost the core that executes them, other than their accesses to memory. */
#ifndef TD_BENCH_SIMULATE_MACHINE_BRANCHES_H
#define TD_BENCH_SIMULATE_MACHINE_BRANCHES_H

#include "bench/simulate/costs.h"

void td_sim_branches_begin(const struct td_costs *costs);

#endif
