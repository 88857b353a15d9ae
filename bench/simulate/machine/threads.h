/* SPDX-License-Identifier: MIT */
/* The simulated threads and the cores that they execute on.
 *
 * Each thread is a coroutine; all of them share one thread of the real system. A core has its own
 * clock. The core whose clock is behind all others goes on, so what happens is the same in every
 * run. When there are more threads than cores, they take turns.
 *
 * Thread 0 is the program's own. Times are picoseconds since the simulation began. */
#ifndef TD_BENCH_SIMULATE_MACHINE_THREADS_H
#define TD_BENCH_SIMULATE_MACHINE_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/simulate/costs.h"

struct td_sim_thread;

/* What the thread that executes now needs to know at every step. */
struct td_sim_now {
  bool on;          /* the simulation has begun */
  bool counts;      /* in a phase that is told: accesses to memory take time */
  unsigned core;    /* on which the thread executes */
  uint64_t now;     /* the clock of that core */
  uint64_t horizon; /* when it has to look whether others come first */
};
extern struct td_sim_now td_sim_now;

/* From now on, threads are simulated. Returns false without memory. */
bool td_sim_threads_begin(unsigned cores, const struct td_costs *costs, uint32_t seed);

/* Lets others go on if they come first. */
void td_sim_yield(void);

/* To be called after each step that took time. */
static inline void td_sim_step(void) {
  if (__builtin_expect(td_sim_now.now > td_sim_now.horizon, 0)) td_sim_yield();
}
void td_sim_spend(double ns);

struct td_sim_thread *td_sim_thread_start(void *(*body)(void *), void *argument);
void td_sim_thread_join(struct td_sim_thread *thread);
/* Sleeps on `key` until somebody wakes it, or for timeout_ns (0: without limit). */
void td_sim_sleep(const void *key, uint64_t timeout_ns);
/* Wakes up to `count` threads that sleep on `key`, the first ones first. Returns how many. */
unsigned td_sim_wake(const void *key, unsigned count);

#endif
