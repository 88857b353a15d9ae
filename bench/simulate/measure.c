/* SPDX-License-Identifier: MIT */
#include "bench/simulate/measure.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "bench/cli/clock.h"
#include "bench/cli/complain.h"
#include "bench/cli/host.h"
#include "bench/cli/samples.h"
#include "bench/limit/memory.h"
#include "bench/simulate/calm.h"
#include "bench/simulate/last_cache.h"
#include "bench/threads/cpus.h"
#include "bench/threads/crew.h"

#define PASSES 4u
#define ROUNDS 5u
#define MEMORY_ROUNDS 5u
#define ARENA_BYTES ((size_t)64 << 20) /* about as much as the heaps that are marked here */
#define LOOPS 20000u
#define FAR 4 /* times as long as from the last cache: not from the same one */

/* ---- Loads and lines: what `tidemark limit` measures ------------------------------------- */

static void take_figure(struct td_costs *costs, const struct td_limit_figure *figure) {
  static const struct {
    const char *prefix;
    enum td_cost cost;
  } names[] = {{"dependent random load, 1 ", TD_COST_memory_ns},
               {"random line asked for ahead, 1 ", TD_COST_line_ns},
               {"independent random load, 1 ", TD_COST_load_line_ns},
               {"random byte store, 1 ", TD_COST_store_line_ns},
               {"sequential line, 1 ", TD_COST_stream_ns},
               {"core to core, one way", TD_COST_transfer_cache_ns}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strncmp(figure->name, names[i].prefix, strlen(names[i].prefix)) == 0)
      costs->at[names[i].cost] = td_samples_summary(&figure->samples).min;
}

static int measure_memory(struct td_costs *costs, const struct td_cpus *cpus) {
  struct td_limit_memory memory = {
      .bytes = ARENA_BYTES, .rounds = MEMORY_ROUNDS, .run_ms = 10, .cpus = cpus};
  int status = td_limit_memory_run(&memory);
  for (size_t i = 0; i < memory.figure_count && status == TD_EXIT_OK; i++)
    take_figure(costs, &memory.figures[i]);
  td_limit_memory_free(&memory);
  return status;
}

/* ---- Steps of one thread ------------------------------------------------------------------ */

static void pause_once(void) {
  td_pause();
}

static void ask_time(void) {
  (void)td_now_ns();
}

static void change_once(void) {
  static _Atomic(uint8_t) word;
  atomic_fetch_or_explicit(&word, 1, memory_order_seq_cst);
}

/* Returns the least time of a step, in nanoseconds. */
static double time_of(void (*step)(void)) {
  double least = 1e9;
  for (unsigned round = 0; round < ROUNDS; round++) {
    uint64_t begin = td_now_ns();
    for (unsigned i = 0; i < LOOPS; i++)
      step();
    double ns = (double)(td_now_ns() - begin) / LOOPS;
    if (ns < least) least = ns;
  }
  return least;
}

/* ---- Branches ----------------------------------------------------------------------------- */

#define THROWS 4096u

/* Counts in two ways, so that there is a branch. Out of line: what is thrown is not known here. */
static __attribute__((noinline)) unsigned follow(const uint8_t *thrown, unsigned count) {
  unsigned here = 0, there = 1;
  for (unsigned i = 0; i < count; i++) {
    if (thrown[i])
      __asm__ volatile("" : "+r"(here));
    else
      __asm__ volatile("" : "+r"(there));
  }
  return here + there;
}

/* Returns the least time of a branch. `random`: nobody can foretell it. */
static double time_of_branch(bool random) {
  static uint8_t thrown[THROWS];
  double least = 1e9;
  uint32_t state = 2463534242u;
  for (unsigned round = 0; round < 64; round++) {
    for (unsigned i = 0; i < THROWS; i++) { /* anew, or they would be learnt */
      state ^= state << 13, state ^= state >> 17, state ^= state << 5;
      thrown[i] = random && (state >> 16 & 1);
    }
    uint64_t begin = td_now_ns();
    (void)follow(thrown, THROWS);
    double ns = (double)(td_now_ns() - begin) / THROWS;
    if (ns < least) least = ns;
  }
  return least;
}

/* Two cores below one last cache hand a line on as fast as that cache can, or not much slower. If
 * it takes much longer, each has a last cache of its own. */
static void place_transfer(struct td_costs *costs) {
  double ns = costs->at[TD_COST_transfer_cache_ns];
  if (ns < FAR * costs->at[TD_COST_cache_ns]) return;
  costs->at[TD_COST_transfer_package_ns] = ns;
  costs->at[TD_COST_transfer_cache_ns] = td_cost_entries[TD_COST_transfer_cache_ns].value;
}

bool td_costs_share_last_cache(const struct td_costs *costs) {
  return costs->at[TD_COST_transfer_package_ns] ==
         td_cost_entries[TD_COST_transfer_package_ns].value;
}

/* hwloc shares a cache between as many cores as it says, or gives each core one. */
void td_costs_topology(const struct td_costs *costs, char text[TD_TOPOLOGY_BYTES]) {
  unsigned cores = td_host_cpus_allowed();
  bool shared = td_costs_share_last_cache(costs);
  unsigned long long bytes = (unsigned long long)(costs->at[TD_COST_cache_mib] * 1048576);
  snprintf(text, TD_TOPOLOGY_BYTES, "pack:1 l3:%u(size=%llu) core:%u pu:1", shared ? 1 : cores,
           bytes, shared ? cores : 1);
}

/* ---- All ----------------------------------------------------------------------------------- */

static int measure_once(struct td_costs *costs, const struct td_cpus *cpus) {
  td_wait_for_calm(cpus);
  int status = measure_memory(costs, cpus);
  td_wait_for_calm(cpus);
  if (status == TD_EXIT_OK && !td_last_cache_measure(costs))
    status = td_complain(TD_EXIT_RESOURCES, "simulate: not enough memory");
  if (status != TD_EXIT_OK) return status;
  td_wait_for_calm(cpus);
  /* Every second guess is wrong. */
  costs->at[TD_COST_surprise_ns] = 2 * (time_of_branch(true) - time_of_branch(false));
  costs->at[TD_COST_clock_ns] = time_of(ask_time);
  costs->at[TD_COST_pause_ns] = time_of(pause_once);
  costs->at[TD_COST_atomic_ns] = time_of(change_once);
  status = td_costs_measure_window(costs, cpus);
  return status == TD_EXIT_OK ? td_costs_measure_system(costs, cpus) : status;
}

/* Others only ever slow a machine down, and take room in its caches. */
static double better(enum td_cost cost, double a, double b) {
  bool more = cost == TD_COST_cache_mib || cost == TD_COST_window_instructions;
  return (a > b) == more ? a : b;
}

static int measure_passes(struct td_costs *costs, const struct td_cpus *cpus) {
  struct td_costs best = *costs;
  for (unsigned pass = 0; pass < PASSES; pass++) {
    int status = measure_once(costs, cpus);
    if (status != TD_EXIT_OK) return status;
    for (unsigned i = 0; i < TD_COST_COUNT; i++)
      if (pass == 0 || td_cost_is_valid((enum td_cost)i, costs->at[i]))
        best.at[i] = pass == 0 ? costs->at[i] : better((enum td_cost)i, best.at[i], costs->at[i]);
  }
  *costs = best;
  return TD_EXIT_OK;
}

int td_costs_measure(struct td_costs *costs) {
  struct td_cpus cpus;
  if (!td_cpus_read(&cpus)) return td_complain(TD_EXIT_RESOURCES, "simulate: not enough memory");
  int status = measure_passes(costs, &cpus);
  for (unsigned i = 0; i < TD_COST_COUNT; i++)
    if (!td_cost_is_valid((enum td_cost)i, costs->at[i])) costs->at[i] = td_cost_entries[i].value;
  place_transfer(costs);
  if (status == TD_EXIT_OK) status = td_costs_calibrate(costs);
  td_cpus_free(&cpus);
  return status;
}
