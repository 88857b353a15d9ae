/* SPDX-License-Identifier: MIT */
/* Where the markers' time goes. Who lets simulated time go on says for what. */
#ifndef TD_BENCH_SIMULATE_MACHINE_ACCOUNT_H
#define TD_BENCH_SIMULATE_MACHINE_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/simulate/run.h"

/* Picoseconds since the simulation began, of all threads together. */
struct td_sim_account {
  uint64_t ps[TD_SPENT_COUNT];
};
extern struct td_sim_account td_sim_account;

/* Whether the thread is in the library's td_idle: all that it does there is watching. */
extern _Thread_local bool td_sim_idle;

static inline void td_sim_book(enum td_spent what, uint64_t ps) {
  td_sim_account.ps[td_sim_idle && what != TD_SPENT_ARISING ? TD_SPENT_WATCHING : what] += ps;
}

#endif
