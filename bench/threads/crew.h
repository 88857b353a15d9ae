/* Threads that start together, each on its own CPU, and whether one of them was disturbed. */
#ifndef TD_BENCH_THREADS_CREW_H
#define TD_BENCH_THREADS_CREW_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/cli/clock.h"
#include "bench/threads/cpus.h"

typedef void td_crew_body(void *context, unsigned thread);

/* Runs body(context, i) for all i < threads, thread 0 being the caller's, and waits for all.
 * *disturbed: did one of them lose its CPU involuntarily while in body?
 * Returns false if a thread could not be started; then no body was run. */
bool td_crew_run(const struct td_cpus *cpus, unsigned threads, td_crew_body *body, void *context,
                 bool *disturbed);

/* A hint that this thread spins. */
static inline void td_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  __asm__ volatile("" ::: "memory");
#endif
}

#endif
