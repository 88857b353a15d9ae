/* SPDX-License-Identifier: MIT */
/* Which places of the library's code wait for lines, and how long.
 *
 * A place is a call of the instrumentation: the access that asked for the line, not the instruction
 * that could not go on without it. What comes from caches counts as work, and as no wait. */
#ifndef TD_BENCH_SIMULATE_MACHINE_WAITS_H
#define TD_BENCH_SIMULATE_MACHINE_WAITS_H

#include <stdint.h>

#include "bench/simulate/machine/account.h"
#include "bench/simulate/machine/code.h"

typedef uint32_t td_sim_site; /* where in the text such a call returns to */

/* Of the access that is being simulated. */
extern td_sim_site td_sim_here;

static inline td_sim_site td_sim_site_of(uintptr_t address) {
  return (td_sim_site)(address - td_sim_text);
}

void td_sim_waits_book(td_sim_site site, enum td_spent what, uint64_t ps);
/* Forgets all waits so far. */
void td_sim_waits_forget(void);
/* Prints the longest `count` waits, TD_WAITS_MOST at most: see machine/child.c. */
void td_sim_waits_print(unsigned count);

#endif
