/* SPDX-License-Identifier: MIT */
/* How long an operation took without the time for which the host of a virtual machine had taken the
 * CPU away. Nothing else is left out: time on a CPU counts, and the wait for one; an operation in
 * which the thread slept counts whole, and all do where the kernel does not tell of the host. */
#ifndef TD_BENCH_GCBENCH_CHILD_HALTS_H
#define TD_BENCH_GCBENCH_CHILD_HALTS_H

#include <stdbool.h>
#include <stdint.h>

struct gcbench_usage {
  uint64_t cpu_ns, queued_ns; /* on a CPU, and ready to run without one */
  long sleeps;
};

/* Of the thread that begins it, and its alone. */
struct gcbench_halts {
  int schedstat; /* a file, or -1 */
  bool knows;    /* the kernel tells what is asked for */
  struct gcbench_usage last;
  uint64_t last_ns; /* when it was read */
};

void gcbench_halts_begin(struct gcbench_halts *halts);
void gcbench_halts_end(struct gcbench_halts *halts);
/* Returns what an operation took at most that has just ended; *now_ns is when, and moves on by the
 * time that asking takes. For each operation, one after another. */
uint64_t gcbench_halts_own_ns(struct gcbench_halts *halts, uint64_t began_ns, uint64_t *now_ns);

#endif
