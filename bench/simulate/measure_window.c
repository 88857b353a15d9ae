/* SPDX-License-Identifier: MIT */
/* How far a core is ahead of a load that it waits for. Two chains of loads that miss all caches,
 * with other instructions between the loads: as long as one load of each is among what the core is
 * ahead with, they take as long as one chain; beyond that they take turns. */
#define _GNU_SOURCE 1
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "bench/cli/clock.h"
#include "bench/cli/complain.h"
#include "bench/simulate/calm.h"
#include "bench/simulate/chain.h"
#include "bench/simulate/measure.h"

#if defined(__x86_64__)

#define BYTES ((size_t)64 << 20)
#define STEPS 4000u
#define ROUNDS 5u
#define LEAST 64u /* instructions between two loads that are tried: multiples of it */

/* Additions to four registers in turn: they need what real instructions need. */
#define ADD_4(n)                                                                                   \
  __asm__ volatile(".rept " #n "/4\n\tlea 1(%0),%0\n\tlea 1(%1),%1\n\tlea 1(%2),%2\n\t"            \
                   "lea 1(%3),%3\n\t.endr"                                                         \
                   : "+r"(w), "+r"(x), "+r"(y), "+r"(z));
#define CHAINS(n)                                                                                  \
  static __attribute__((noinline)) double chains_##n(const char *at, size_t *a, size_t *b) {       \
    uint64_t w = 0, x = 0, y = 0, z = 0, begin = td_now_ns();                                      \
    for (unsigned i = 0; i < STEPS; i++) {                                                         \
      *a = td_chain_next(at, *a);                                                                  \
      ADD_4(n)                                                                                     \
      *b = td_chain_next(at, *b);                                                                  \
      ADD_4(n)                                                                                     \
    }                                                                                              \
    return (double)(td_now_ns() - begin) / STEPS;                                                  \
  }
CHAINS(64)
CHAINS(128)
CHAINS(192)
CHAINS(256)
CHAINS(320)
CHAINS(384)
CHAINS(448)
CHAINS(512)

static double (*const tried[])(const char *, size_t *, size_t *) = {
    chains_64, chains_128, chains_192, chains_256, chains_320, chains_384, chains_448, chains_512};
#define TRIED (sizeof tried / sizeof tried[0])

/* Returns where the time passes the middle between the least and twice that. */
static double middle(const double *ns) {
  double half = ns[0] * 1.5;
  for (size_t i = 1; i < TRIED; i++)
    if (ns[i] > half) return LEAST * ((double)i + (half - ns[i - 1]) / (ns[i] - ns[i - 1]));
  return LEAST * TRIED;
}

int td_costs_measure_window(struct td_costs *costs, const struct td_cpus *cpus) {
  char *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return td_complain(TD_EXIT_RESOURCES, "simulate: not enough memory");
  (void)madvise(at, BYTES, MADV_HUGEPAGE); /* not to measure translation, if possible */
  td_chain_link(at, BYTES);
  double ns[TRIED];
  size_t a = 0, b = td_chain_next(at, BYTES / 2 / TD_CHAIN_LINE);
  for (size_t i = 0; i < TRIED; i++)
    ns[i] = 1e9;
  for (unsigned round = 0; round < ROUNDS; round++)
    for (size_t i = 0; i < TRIED; i++) {
      td_wait_for_calm(cpus);
      double took = tried[i](at, &a, &b);
      if (took < ns[i]) ns[i] = took;
    }
  munmap(at, BYTES);
  costs->at[TD_COST_window_instructions] = middle(ns);
  return TD_EXIT_OK;
}

#else /* others keep the default */
int td_costs_measure_window(struct td_costs *costs, const struct td_cpus *cpus) {
  (void)costs, (void)cpus;
  return TD_EXIT_OK;
}
#endif
