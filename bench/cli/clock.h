/* SPDX-License-Identifier: MIT */
/* The clock that measurements are taken with. */
#ifndef TD_BENCH_CLI_CLOCK_H
#define TD_BENCH_CLI_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Returns nanoseconds since some moment in the past, the same moment for all threads. */
static inline uint64_t td_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Returns for how long the calling thread has been on a CPU. */
static inline uint64_t td_thread_cpu_ns(void) {
  struct timespec ran;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
  return (uint64_t)ran.tv_sec * UINT64_C(1000000000) + (uint64_t)ran.tv_nsec;
}

#endif
