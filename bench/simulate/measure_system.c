/* SPDX-License-Identifier: MIT */
/* What the operating system makes threads wait: waking, sleeping, taking turns. */
#define _GNU_SOURCE 1
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/cli/clock.h"
#include "bench/cli/complain.h"
#include "bench/cli/samples.h"
#include "bench/simulate/measure.h"
#include "bench/threads/crew.h"

/* ---- Sleeping and waking ------------------------------------------------------------------ */

#define WAKES 200u
#define BUSY_WAKES 40u
#define BUSY_APART_US 3000u

/* Thread 1 sleeps on `word`; thread 0 wakes it, when it has surely gone to sleep. If there is a
 * thread 2, it keeps the CPU of thread 1 busy. */
struct nap {
  uint32_t wakes;
  unsigned apart_us;                   /* between two of them */
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
  for (uint32_t i = 0; i < nap->wakes; i++) {
    sleep_again(nap, i);
    nap->woken_ns = td_now_ns();
    /* release [nap.seen] */
    atomic_store_explicit(&nap->seen, i + 1, memory_order_release);
  }
}

static void end_nap(struct nap *nap) {
  for (uint32_t i = 0; i < nap->wakes; i++) {
    usleep(nap->apart_us);
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
  struct nap *nap = context;
  if (thread == 0) end_nap(nap);
  if (thread == 1) take_nap(nap);
  /* relaxed: only counted. */
  while (thread == 2 && atomic_load_explicit(&nap->seen, memory_order_relaxed) < nap->wakes)
    td_pause();
}

static int measure_naps(const struct td_cpus *cpus, unsigned threads, uint32_t wakes,
                        unsigned apart_us, double *call, double *delay) {
  struct nap *nap = aligned_alloc(64, sizeof *nap);
  if (!nap) return td_complain(TD_EXIT_RESOURCES, "not enough memory");
  memset(nap, 0, sizeof *nap);
  nap->wakes = wakes;
  nap->apart_us = apart_us;
  bool disturbed;
  bool done = td_crew_run(cpus, threads, nap_body, nap, &disturbed);
  if (done) {
    *call = td_samples_summary(&nap->call).low;
    *delay = td_samples_summary(&nap->delay).low;
  }
  td_samples_free(&nap->call);
  td_samples_free(&nap->delay);
  free(nap);
  return done ? TD_EXIT_OK
              : td_complain(TD_EXIT_RESOURCES, "simulate: cannot start %u threads", threads);
}

/* ---- Two threads on one CPU --------------------------------------------------------------- */

#define TURNS_NS 200000000u /* how long they execute */
#define AWAY_NS 200000u     /* a thread that has not executed for longer was not on the CPU */
#define YIELDS 20000u

struct turns {
  struct td_samples away[2]; /* of each thread */
  uint64_t yields_ns;
};

static void take_turns(void *context, unsigned thread) {
  struct turns *turns = context;
  uint64_t begin = td_now_ns(), last = begin;
  while (last - begin < TURNS_NS) {
    uint64_t now = td_now_ns();
    if (now - last > AWAY_NS) td_samples_add(&turns->away[thread], (double)(now - last));
    last = now;
  }
}

static void give_turns(void *context, unsigned thread) {
  struct turns *turns = context;
  uint64_t begin = td_now_ns();
  for (unsigned i = 0; i < YIELDS; i++)
    sched_yield();
  if (thread == 0) turns->yields_ns = td_now_ns() - begin;
}

static int measure_turns(struct td_costs *costs, const struct td_cpus *pair) {
  struct turns turns = {0};
  bool disturbed;
  bool done = td_crew_run(pair, 2, take_turns, &turns, &disturbed) &&
              td_crew_run(pair, 2, give_turns, &turns, &disturbed);
  if (done) {
    /* The first two turns are shorter: the threads did not begin at once. */
    costs->at[TD_COST_slice_ns] = td_samples_summary(&turns.away[0]).median;
    costs->at[TD_COST_switch_ns] = (double)turns.yields_ns / (2 * YIELDS);
  }
  td_samples_free(&turns.away[0]);
  td_samples_free(&turns.away[1]);
  return done ? TD_EXIT_OK : td_complain(TD_EXIT_RESOURCES, "simulate: cannot start 2 threads");
}

/* ---- All ---------------------------------------------------------------------------------- */

/* Returns how long it takes to find that there is no need to sleep; the least of some tries. */
static double time_of_no_sleep(void) {
  static _Atomic(uint32_t) word;
  double least = 1e9;
  for (unsigned i = 0; i < WAKES; i++) {
    uint64_t begin = td_now_ns();
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
    double ns = (double)(td_now_ns() - begin);
    if (ns < least) least = ns;
  }
  return least;
}

int td_costs_measure_system(struct td_costs *costs, const struct td_cpus *cpus) {
  costs->at[TD_COST_sleep_ns] = time_of_no_sleep();
  struct td_cpus one = {.count = 3, .number = {cpus->number[0], cpus->number[0]}};
  int status = measure_turns(costs, &one);
  if (cpus->count < 2 || status != TD_EXIT_OK) return status;
  status = measure_naps(cpus, 2, WAKES, 200, &costs->at[TD_COST_wake_call_ns],
                        &costs->at[TD_COST_wake_delay_ns]);
  if (status != TD_EXIT_OK) return status;
  struct td_cpus busy = {.count = 3, .number = {cpus->number[0], cpus->number[1], cpus->number[1]}};
  double call;
  return measure_naps(&busy, 3, BUSY_WAKES, BUSY_APART_US, &call, &costs->at[TD_COST_wake_busy_ns]);
}
