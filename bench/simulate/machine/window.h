/* SPDX-License-Identifier: MIT */
/* What a core does while it waits for lines.
 *
 * A load does not stop its core. The core goes on with what follows, until `window_instructions`
 * wait for the oldest load (a reorder buffer), or until it has followed a branch in the wrong
 * direction, because it cannot know that before the branch has its operands: those of the last load
 * are taken to be meant. An access at an address that a load under way brings has to wait for it:
 * that is recognised by the address, which lies where the loaded word leads to, or is its mark byte
 * or block. Stores wait in a buffer, and reach the cache in order. Atomic changes and full fences
 * wait for all of it.
 *
 * Times are picoseconds. Their two lowest bits say from where a line comes: enum td_sim_source. */
#ifndef TD_BENCH_SIMULATE_MACHINE_WINDOW_H
#define TD_BENCH_SIMULATE_MACHINE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/simulate/costs.h"
#include "bench/simulate/machine/account.h"
#include "bench/simulate/topology.h"
#include "bench/simulate/machine/waits.h"

enum td_sim_source {
  TD_SIM_FROM_CACHE,
  TD_SIM_FROM_MEMORY,
  TD_SIM_FROM_BUSY_MEMORY,
  TD_SIM_FROM_CORE,
  TD_SIM_SOURCES
};

#define TD_SIM_LOADS 64u  /* loads under way that are told apart. A power of two */
#define TD_SIM_STORES 64u /* the most stores that wait. A power of two */

struct td_sim_load {
  uint64_t position; /* of the core's work, where the load is */
  uint64_t ready;
  uint64_t value; /* that it brings; 0: no word */
  td_sim_site site;
};

struct td_sim_window {
  uint64_t position; /* how much work the core has done */
  uint64_t limit;    /* where it has to wait for the oldest load */
  uint32_t first, count;
  struct td_sim_load load[TD_SIM_LOADS];
  uint64_t stored; /* when the last store reaches the cache */
  uint64_t store[TD_SIM_STORES];
  td_sim_site stored_by, store_by[TD_SIM_STORES];
  uint32_t stores;
};

extern struct td_sim_window td_sim_windows[TD_SIM_CORES_MAX];

void td_sim_window_costs(const struct td_costs *costs);
/* The tables that are indexed by the words that lead to objects: where the mark byte of address 0
 * and the block of address 0 would be. */
void td_sim_window_tables(uintptr_t marks, uintptr_t blocks, unsigned block_log2,
                          unsigned block_bytes);

/* Returns when the core goes on if it waits at `now` for what is ready then, and was asked for
 * there. */
uint64_t td_sim_wait(uint64_t ready, uint64_t now, td_sim_site site);
/* The oldest loads have to be waited for. Returns when the core goes on. */
uint64_t td_sim_window_retire(unsigned core, uint64_t now);
/* Returns when the address of an access is known; at the earliest `now`. */
uint64_t td_sim_window_known(unsigned core, uintptr_t address, uint64_t now);
/* A load that will be ready then. Returns when the core goes on. */
uint64_t td_sim_window_load(unsigned core, uint64_t ready, uint64_t value, uint64_t now);
/* A store whose line will be there then. Returns when the core goes on. */
uint64_t td_sim_window_store(unsigned core, uint64_t ready, uint64_t now);
/* All loads and stores have to be done. Returns when the core goes on. */
uint64_t td_sim_window_drain(unsigned core, uint64_t now);
/* A branch led elsewhere than expected. Returns when the core goes on. */
uint64_t td_sim_window_surprise(unsigned core, uint64_t now);
/* The core has another thread now: what is under way no longer matters. */
void td_sim_window_forget(void);

/* Work of `ps` picoseconds is done from `now` on. Returns when. */
static inline uint64_t td_sim_window_work(unsigned core, uint64_t ps, uint64_t now) {
  struct td_sim_window *w = &td_sim_windows[core];
  td_sim_book(TD_SPENT_WORK, ps);
  w->position += ps;
  now += ps;
  return __builtin_expect(w->count > 0 && w->position > w->limit, 0)
             ? td_sim_window_retire(core, now)
             : now;
}

static inline bool td_sim_window_is_busy(unsigned core, uint64_t now) {
  const struct td_sim_window *w = &td_sim_windows[core];
  return w->count > 0 || w->stored > now;
}

#endif
