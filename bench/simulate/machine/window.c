/* SPDX-License-Identifier: MIT */
#include "bench/simulate/machine/window.h"

#include <string.h>

#define NEAR_BYTES 4096u /* an object's fields are nearer to its beginning than this */
#define GRANULE_LOG2 4

struct td_sim_window td_sim_windows[TD_SIM_CORES_MAX];

static uint64_t window_ps;
static uint32_t store_limit;
static struct {
  uintptr_t marks, blocks;
  unsigned block_log2, block_bytes;
} tables;

void td_sim_window_costs(const struct td_costs *costs) {
  window_ps = (uint64_t)(costs->at[TD_COST_window_instructions] *
                         costs->at[TD_COST_instruction_ns] * costs->at[TD_COST_pace] * 1000);
  double stores = costs->at[TD_COST_window_stores];
  store_limit = stores < 1 ? 1 : stores > TD_SIM_STORES ? TD_SIM_STORES : (uint32_t)stores;
}

void td_sim_window_tables(uintptr_t marks, uintptr_t blocks, unsigned block_log2,
                          unsigned block_bytes) {
  tables.marks = marks;
  tables.blocks = blocks;
  tables.block_log2 = block_log2;
  tables.block_bytes = block_bytes;
}

void td_sim_window_forget(void) {
  memset(td_sim_windows, 0, sizeof td_sim_windows);
}

uint64_t td_sim_wait(uint64_t ready, uint64_t now, td_sim_site site) {
  static const enum td_spent spent[TD_SIM_SOURCES] = {[TD_SIM_FROM_CACHE] = TD_SPENT_WORK,
                                                      [TD_SIM_FROM_MEMORY] = TD_SPENT_MEMORY,
                                                      [TD_SIM_FROM_BUSY_MEMORY] =
                                                          TD_SPENT_BANDWIDTH,
                                                      [TD_SIM_FROM_CORE] = TD_SPENT_TRANSFER};
  if (ready <= now) return now;
  td_sim_book(spent[ready & 3], ready - now);
  td_sim_waits_book(site, spent[ready & 3], ready - now);
  return ready;
}

/* ---- Loads ------------------------------------------------------------------------------- */

static struct td_sim_load *load_of(struct td_sim_window *w, uint32_t i) {
  return &w->load[(w->first + i) % TD_SIM_LOADS];
}

static void drop_first(struct td_sim_window *w) {
  w->first = (w->first + 1) % TD_SIM_LOADS;
  w->count--;
  if (w->count > 0) w->limit = w->load[w->first].position + window_ps;
}

uint64_t td_sim_window_retire(unsigned core, uint64_t now) {
  struct td_sim_window *w = &td_sim_windows[core];
  while (w->count > 0 && (w->load[w->first].ready <= now || w->position > w->limit)) {
    now = td_sim_wait(w->load[w->first].ready, now, w->load[w->first].site);
    drop_first(w);
  }
  return now;
}

static bool leads_to(uint64_t value, uintptr_t address) {
  if (value == 0) return false;
  if (address - value < NEAR_BYTES) return true;
  if (address == tables.marks + (value >> GRANULE_LOG2)) return true;
  uintptr_t block = tables.blocks + (value >> tables.block_log2) * tables.block_bytes;
  return address - block < tables.block_bytes;
}

uint64_t td_sim_window_known(unsigned core, uintptr_t address, uint64_t now) {
  struct td_sim_window *w = &td_sim_windows[core];
  uint64_t known = now;
  for (uint32_t i = 0; i < w->count; i++) {
    const struct td_sim_load *load = load_of(w, i);
    if (load->ready > known && leads_to(load->value, address)) known = load->ready;
  }
  return known;
}

uint64_t td_sim_window_load(unsigned core, uint64_t ready, uint64_t value, uint64_t now) {
  struct td_sim_window *w = &td_sim_windows[core];
  now = td_sim_window_retire(core, now);
  if (w->count == TD_SIM_LOADS) {
    now = td_sim_wait(w->load[w->first].ready, now, w->load[w->first].site);
    drop_first(w);
  }
  if (w->count == 0) w->limit = w->position + window_ps;
  *load_of(w, w->count++) = (struct td_sim_load){
      .position = w->position, .ready = ready, .value = value, .site = td_sim_here};
  return now;
}

/* ---- Stores ------------------------------------------------------------------------------ */

uint64_t td_sim_window_store(unsigned core, uint64_t ready, uint64_t now) {
  struct td_sim_window *w = &td_sim_windows[core];
  if (ready <= now && w->stored <= now) return now; /* nothing waits */
  uint64_t done = ready > w->stored ? ready : w->stored;
  const uint32_t oldest = w->stores++ % store_limit;
  now = td_sim_wait(w->store[oldest], now, w->store_by[oldest]);
  if (done != w->stored) w->stored_by = td_sim_here;
  w->store[oldest] = w->stored = done;
  w->store_by[oldest] = w->stored_by;
  return now;
}

/* ---- All --------------------------------------------------------------------------------- */

uint64_t td_sim_window_drain(unsigned core, uint64_t now) {
  struct td_sim_window *w = &td_sim_windows[core];
  for (; w->count > 0; drop_first(w))
    now = td_sim_wait(w->load[w->first].ready, now, w->load[w->first].site);
  return td_sim_wait(w->stored, now, w->stored_by);
}

uint64_t td_sim_window_surprise(unsigned core, uint64_t now) {
  struct td_sim_window *w = &td_sim_windows[core];
  if (w->count == 0) return now;
  const struct td_sim_load *last = load_of(w, w->count - 1);
  return td_sim_wait(last->ready, now, last->site);
}
