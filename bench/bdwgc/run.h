/* SPDX-License-Identifier: MIT */
/* One run of a program. */
#ifndef TD_BENCH_BDWGC_RUN_H
#define TD_BENCH_BDWGC_RUN_H

#include <stdbool.h>
#include <stdint.h>

struct td_run {
  const char *command; /* for sh */
  const char *folder;  /* to run in */
  const char *inputs;  /* what $IN stands for */
  const char *libgc;   /* folder of the libgc.so.1 to run on, NULL: the system's */
  bool told;           /* have the library tell of its collections: costs time */
};
struct td_run_figures {
  double cpu_s, wall_s, peak_mib;
  uint64_t collections; /* if told; else these three are 0 */
  double collecting_s, longest_pause_s;
};
/* Returns an exit status, after saying what is wrong. */
int td_run_measure(const struct td_run *run, struct td_run_figures *figures);

#endif
