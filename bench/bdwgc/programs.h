/* SPDX-License-Identifier: MIT */
/* The list of programs that use libgc.so.1: bench/bdwgc/inputs/programs.txt. */
#ifndef TD_BENCH_BDWGC_PROGRAMS_H
#define TD_BENCH_BDWGC_PROGRAMS_H

#include <stddef.h>

#define TD_PROGRAMS_MOST 32u

struct td_program {
  char *name, *set, *collects, *needs, *prepare, *command;
};
struct td_programs {
  char *folder; /* of the inputs */
  char *text;   /* the strings above lie here */
  struct td_program at[TD_PROGRAMS_MOST];
  size_t count;
};

/* Returns an exit status, after saying what is wrong. */
int td_programs_read(struct td_programs *programs);
void td_programs_free(struct td_programs *programs);

#endif
