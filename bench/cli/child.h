/* SPDX-License-Identifier: MIT */
/* Programs that ours starts. They die with it: by bench/cli/cleanup.h when a signal ends it, and
 * those of ours ask the kernel besides (PR_SET_PDEATHSIG). */
#ifndef TD_BENCH_CLI_CHILD_H
#define TD_BENCH_CLI_CHILD_H

#include <sys/types.h>

struct td_child_start {
  char *const *arguments; /* [0] is the program: a path, or a name to be looked for in PATH */
  int in, out;            /* what become its standard input and output; -1: ours */
  int errors;             /* the same for standard error */
};

/* Starts the program. Returns 0, or what errno would say. */
int td_child_start(const struct td_child_start *start, pid_t *child);

/* Waits for the end. Returns what waitpid stores, or -1 with errno set. */
int td_child_wait(pid_t child);

/* Kills the child and waits for its end. */
void td_child_kill(pid_t child);

/* Says how a child ended that should not have: `ended` is what td_child_wait returned, `name` what
 * it was doing. Returns an exit status. */
int td_child_complain(const char *name, int ended);

#endif
