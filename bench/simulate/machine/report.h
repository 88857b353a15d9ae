/* SPDX-License-Identifier: MIT */
/* What the simulation notes while the library marks. */
#ifndef TD_BENCH_SIMULATE_MACHINE_REPORT_H
#define TD_BENCH_SIMULATE_MACHINE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/simulate/costs.h"
#include "bench/simulate/machine/branches.h"
#include "bench/simulate/machine/memory.h"
#include "bench/simulate/run.h"

/* The costs in force. */
extern struct td_costs td_sim_costs;
/* The cores of the machine: as many CPUs the library may use. */
extern unsigned td_sim_cpus;

/* A byte is stored atomically: perhaps a mark. */
void td_sim_note_mark(uintptr_t address);

/* The phases since the last call: their time, and how much of it passed after the last mark. In
 * nanoseconds. */
struct td_sim_phases {
  double ns, end_ns;
  double spent_ns[TD_SPENT_COUNT]; /* of all threads together */
  struct td_sim_branch_counts branches;
  struct td_sim_memory_counts memory;
  uint64_t phases;
};
struct td_sim_phases td_sim_take_phases(void);

/* Whether accesses to memory take time in the phases that follow. */
extern bool td_sim_told;
/* Lets time go by until all helpers have gone to sleep. */
void td_sim_rest(void);

#endif
