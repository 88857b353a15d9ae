#include "bench/simulate/measure.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/cli/clock.h"
#include "bench/cli/complain.h"
#include "bench/cli/samples.h"
#include "bench/limit/memory.h"
#include "bench/simulate/last_cache.h"
#include "bench/threads/cpus.h"
#include "bench/threads/crew.h"

#define ROUNDS 5u
#define LOOPS 20000u

/* ---- Loads and lines: what `tidemark limit` measures ------------------------------------- */

static void take_figure(struct td_costs *costs, const struct td_limit_figure *figure) {
  static const struct {
    const char *prefix;
    enum td_cost cost;
  } names[] = {{"dependent random load, 1 ", TD_COST_memory_ns},
               {"independent random load, 1 ", TD_COST_line_ns},
               {"sequential line, 1 ", TD_COST_stream_ns},
               {"core to core, one way", TD_COST_transfer_cache_ns}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strncmp(figure->name, names[i].prefix, strlen(names[i].prefix)) == 0)
      costs->at[names[i].cost] = td_samples_summary(&figure->samples).min;
}

static int measure_memory(struct td_costs *costs, const struct td_cpus *cpus) {
  struct td_limit_memory memory = {
      .bytes = (size_t)256 << 20, .rounds = ROUNDS, .run_ms = 20, .cpus = cpus};
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

/* ---- Sleeping and waking ------------------------------------------------------------------ */

#define WAKES 200u

/* Thread 1 sleeps on `word`; thread 0 wakes it, when it has surely gone to sleep. */
struct nap {
  _Alignas(64) _Atomic(uint32_t) word; /* number of the call: thread 0 writes, thread 1 reads */
  _Alignas(64) _Atomic(uint32_t) seen; /* thread 1 writes what it saw, thread 0 reads */
  uint64_t woken_ns;                   /* thread 1, before it writes `seen`: [nap.seen] */
  struct td_samples call, delay;
};

static void sleep_again(struct nap *nap, uint32_t before) {
  /* acquire [nap.word]: the call. */
  while (atomic_load_explicit(&nap->word, memory_order_acquire) == before)
    syscall(SYS_futex, &nap->word, FUTEX_WAIT_PRIVATE, before, NULL, NULL, 0);
}

static void take_nap(struct nap *nap) {
  for (uint32_t i = 0; i < WAKES; i++) {
    sleep_again(nap, i);
    nap->woken_ns = td_now_ns();
    /* release [nap.seen] */
    atomic_store_explicit(&nap->seen, i + 1, memory_order_release);
  }
}

static void end_nap(struct nap *nap) {
  for (uint32_t i = 0; i < WAKES; i++) {
    usleep(200);
    uint64_t begin = td_now_ns();
    /* release [nap.word] */
    atomic_store_explicit(&nap->word, i + 1, memory_order_release);
    syscall(SYS_futex, &nap->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    uint64_t called = td_now_ns();
    /* acquire [nap.seen] */
    while (atomic_load_explicit(&nap->seen, memory_order_acquire) != i + 1)
      td_pause();
    td_samples_add(&nap->call, (double)(called - begin));
    td_samples_add(&nap->delay, nap->woken_ns > begin ? (double)(nap->woken_ns - begin) : 0);
  }
}

static void nap_body(void *context, unsigned thread) {
  if (thread == 0)
    end_nap(context);
  else
    take_nap(context);
}

static int measure_wake(struct td_costs *costs, const struct td_cpus *cpus) {
  if (cpus->count < 2) return TD_EXIT_OK;
  struct nap *nap = aligned_alloc(64, sizeof *nap);
  if (!nap) return td_complain(TD_EXIT_RESOURCES, "not enough memory");
  memset(nap, 0, sizeof *nap);
  bool disturbed;
  bool done = td_crew_run(cpus, 2, nap_body, nap, &disturbed);
  if (done) {
    costs->at[TD_COST_wake_call_ns] = td_samples_summary(&nap->call).low;
    costs->at[TD_COST_wake_delay_ns] = td_samples_summary(&nap->delay).low;
  }
  td_samples_free(&nap->call);
  td_samples_free(&nap->delay);
  free(nap);
  return done ? TD_EXIT_OK : td_complain(TD_EXIT_RESOURCES, "simulate: cannot start 2 threads");
}

int td_costs_measure(struct td_costs *costs) {
  struct td_cpus cpus;
  if (!td_cpus_read(&cpus)) return td_complain(TD_EXIT_RESOURCES, "simulate: not enough memory");
  int status = measure_memory(costs, &cpus);
  if (status == TD_EXIT_OK &&
      !td_last_cache_measure(&costs->at[TD_COST_cache_mib], &costs->at[TD_COST_cache_ns]))
    status = td_complain(TD_EXIT_RESOURCES, "simulate: not enough memory");
  if (status == TD_EXIT_OK) {
    /* Every second guess is wrong. */
    costs->at[TD_COST_surprise_ns] = 2 * (time_of_branch(true) - time_of_branch(false));
    costs->at[TD_COST_clock_ns] = time_of(ask_time);
    costs->at[TD_COST_pause_ns] = time_of(pause_once);
    status = measure_wake(costs, &cpus);
  }
  for (unsigned i = 0; i < TD_COST_COUNT; i++)
    if (!td_cost_is_valid((enum td_cost)i, costs->at[i])) costs->at[i] = td_cost_entries[i].value;
  td_cpus_free(&cpus);
  return status;
}
