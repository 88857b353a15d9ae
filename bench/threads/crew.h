/* Threads that start together, each on its own CPU, and whether one of them was disturbed. */
#ifndef TD_BENCH_THREADS_CREW_H
#define TD_BENCH_THREADS_CREW_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "bench/threads/cpus.h"

typedef void td_queue_body(void *context, unsigned thread);

/* Runs body(context, i) for all i < threads, thread 0 being the caller's, and waits for all.
 * *disturbed: did one of them lose its CPU involuntarily while in body?
 * Returns false if a thread could not be started; then no body was run. */
bool td_queue_run(const struct td_queue_place *place, unsigned threads, td_queue_body *body,
                  void *context, bool *disturbed);

static inline uint64_t td_queue_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A hint that this thread spins. */
static inline void td_queue_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  __asm__ volatile("" ::: "memory");
#endif
}

#endif
