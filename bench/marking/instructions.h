/* SPDX-License-Identifier: MIT */
/* Instructions that this process executes, where the kernel counts them: virtual machines often
 * have no counters, and systems may forbid them. */
#ifndef TD_BENCH_MARKING_INSTRUCTIONS_H
#define TD_BENCH_MARKING_INSTRUCTIONS_H

#include <stdint.h>

/* Returns a file that counts those of the calling thread and of threads that it makes later, in
 * user mode; -1 if the kernel counts none. close() ends it. */
int td_instructions_open(void);
/* Returns how many there were up to now; 0 for -1. */
uint64_t td_instructions_read(int file);

#endif
