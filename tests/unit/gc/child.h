/* SPDX-License-Identifier: MIT */
/* A scenario in a process of its own, what that writes to standard error, and how much it has. */
#ifndef TD_TESTS_UNIT_GC_CHILD_H
#define TD_TESTS_UNIT_GC_CHILD_H

#include <sys/wait.h>

#include "tests/unit/gc/common.h"

static char told[4096]; /* by the last child */

/* Bytes that the process may write and shares with nobody: what RLIMIT_DATA limits. */
static inline size_t data_bytes(void) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  size_t kib = 0;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "VmData: %zu kB", &kib) == 1) break;
  if (file) fclose(file);
  return kib << 10;
}

/* Returns the child's status as waitpid tells it. It ends with 0 if `scenario` returns true. */
static inline int child_of(bool (*scenario)(const void *argument), const void *argument) {
  int ends[2], status;
  cr_assert_eq(pipe(ends), 0);
  fflush(NULL);
  pid_t child = fork();
  cr_assert_geq(child, 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    signal(SIGABRT, SIG_DFL);
    signal(SIGSEGV, SIG_DFL);
    _exit(!scenario(argument));
  }
  close(ends[1]);
  size_t used = 0;
  for (ssize_t got; (got = read(ends[0], told + used, sizeof told - 1 - used)) > 0;)
    used += (size_t)got;
  told[used] = 0;
  close(ends[0]);
  cr_assert_eq(waitpid(child, &status, 0), child);
  return status;
}

/* A scenario in a heap that is verified. Returns the signal that ended the child, or its status. */
struct verified {
  struct world (*make)(void);
  void (*scenario)(struct world *w);
};
static inline bool verify_scenario(const void *argument) {
  const struct verified *verified = argument;
  setenv("TIDE_VERIFY", "1", 1);
  struct world w = verified->make();
  verified->scenario(&w);
  return true;
}
static inline int run_verified(struct world (*make)(void), void (*scenario)(struct world *w)) {
  int status = child_of(verify_scenario, &(struct verified){make, scenario});
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

#endif
