/* SPDX-License-Identifier: MIT */
/* Threads that start together, each on a CPU of its own while there are enough, and whether one of
 * them was disturbed. */
#ifndef TD_BENCH_THREADS_CREW_H
#define TD_BENCH_THREADS_CREW_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/cli/clock.h"
#include "bench/threads/cpus.h"

typedef void td_crew_body(void *context, unsigned thread);

/* Calls body(context, i) for all i < threads, each on a thread of its own, 0 on the caller's, and
 * waits for all. *disturbed says whether one of them lost its CPU involuntarily while in body.
 * Returns false if a thread could not be started; then no body was called. */
bool td_crew_run(const struct td_cpus *cpus, unsigned threads, td_crew_body *body, void *context,
                 bool *disturbed);

/* Tells the processor that this thread spins. */
static inline void td_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  __asm__ volatile("" ::: "memory");
#endif
}

#endif
