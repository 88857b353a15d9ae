/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE 1
#include "bench/simulate/last_cache.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "bench/cli/clock.h"
#include "bench/simulate/chain.h"

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)
#define LARGEST (64 * MIB) /* surely larger than what is measured */
#define OWN (128 * KIB)    /* in the second-level cache, but not in the first */
#define STEPS 100000u
#define ROUNDS 5u

/* Returns how long a step from line to line takes; the least of some rounds. */
static double time_of_step(char *at, size_t bytes) {
  double least = 1e9;
  size_t line = 0;
  td_chain_link(at, bytes);
  for (size_t i = 0; i < bytes / TD_CHAIN_LINE; i++)
    line = td_chain_next(at, line);
  for (unsigned round = 0; round < ROUNDS; round++) {
    uint64_t begin = td_now_ns();
    for (unsigned i = 0; i < STEPS; i++)
      line = td_chain_next(at, line);
    double ns = (double)(td_now_ns() - begin) / STEPS;
    if (ns < least) least = ns;
  }
  return least;
}

/* Returns how long a line takes when lines are asked for in any order, without waiting. */
static double time_of_line(const char *at, size_t bytes) {
  double least = 1e9;
  uint32_t lines = (uint32_t)(bytes / TD_CHAIN_LINE);
  uint64_t random = UINT64_C(88172645463325252);
  for (unsigned round = 0; round < ROUNDS; round++) {
    uint64_t begin = td_now_ns();
    for (unsigned i = 0; i < STEPS; i++) {
      random ^= random << 13, random ^= random >> 7, random ^= random << 17;
      (void)td_chain_next(at, (random >> 32) * lines >> 32);
    }
    double ns = (double)(td_now_ns() - begin) / STEPS;
    if (ns < least) least = ns;
  }
  return least;
}

bool td_last_cache_measure(struct td_costs *costs) {
  char *at = mmap(NULL, LARGEST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return false;
  (void)madvise(at, LARGEST, MADV_HUGEPAGE); /* not to measure translation, if possible */
  double memory = time_of_step(at, LARGEST), ns = time_of_step(at, MIB);
  size_t fits = MIB;
  for (size_t bytes = MIB; bytes < LARGEST; bytes += bytes / 4) {
    if (time_of_step(at, bytes) > (memory + ns) / 2) break;
    fits = bytes;
  }
  costs->at[TD_COST_own_ns] = time_of_step(at, OWN);
  costs->at[TD_COST_cache_ns] = ns;
  costs->at[TD_COST_cache_mib] = (double)fits / (double)MIB;
  costs->at[TD_COST_cache_line_ns] = time_of_line(at, fits < 2 * MIB ? MIB : fits / 2);
  munmap(at, LARGEST);
  return true;
}
