/* SPDX-License-Identifier: MIT */
/* The collections that a program of gcbench counts, and how it fails. */
#ifndef TD_BENCH_GCBENCH_CHILD_ACCOUNT_H
#define TD_BENCH_GCBENCH_CHILD_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/gcbench/pauses.h"

/* The collections of this process, in order; written under a lock. */
#define GCBENCH_PAUSES_MAX 65536u
struct gcbench_lengths {
  uint64_t count;
  uint64_t ns[GCBENCH_PAUSES_MAX]; /* the first ones */
};
struct gcbench_pauses {
  uint64_t collect_ns, collections, full;
  struct gcbench_lengths all, young;
  struct td_pauses counted;
};
extern struct gcbench_pauses gcbench_pauses;

/* young: it looked at young objects only. */
void gcbench_collected(bool young, const uint64_t *stops_ns, unsigned stops);
void gcbench_pauses_forget(void);

/* Tells the parent and ends the process. */
_Noreturn void gcbench_fail(int status, const char *text);
_Noreturn void gcbench_out_of_memory(void);

#endif
