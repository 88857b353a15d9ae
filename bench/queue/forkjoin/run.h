/* SPDX-License-Identifier: MIT */
/* One run of the experiment `forkjoin`: threads that together do trees of tasks. */
#ifndef TD_BENCH_QUEUE_FORKJOIN_RUN_H
#define TD_BENCH_QUEUE_FORKJOIN_RUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Constant while threads run, but for what is said below. */
struct td_forkjoin {
  void *const *states; /* [threads], as a kind's init leaves them */
  unsigned threads, depth;
  bool is_crowded;          /* more threads than CPUs: who finds nothing gives way */
  uint64_t steps;           /* of work in each task */
  uint64_t trees;           /* one after the other */
  uint64_t ns, done;        /* thread 0 writes: how long it took, and how many tasks came back */
  _Atomic(uint64_t) stolen; /* tasks; threads add when they have ended, the caller reads */
  /* Thread 0 sets it, the others look. relaxed: it tells them to end and orders nothing. */
  _Alignas(64) _Atomic(bool) is_over;
};

#endif
