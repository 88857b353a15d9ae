/* SPDX-License-Identifier: MIT */
/* Counts the instructions of a function by running a child step by step: no clock, so it comes out
 * the same on a busy machine. */
#ifndef TD_TESTS_COST_STEPS_H
#define TD_TESTS_COST_STEPS_H

#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>

#include "tests/stress/driver.h"

enum { SKIPPED = 77 };

/* Turns that are compared: whoever includes this says how many. */
enum { FEW = STEPS_FEW, MANY = STEPS_MANY };

/* In the child, before anything is counted. */
static void steps_prepare(void);

/* SIGUSR1 before and after what is to be counted. */
static void child(void (*run)(size_t), size_t turns) {
  steps_prepare();
  run(turns); /* what happens once only has happened */
  if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(SKIPPED);
  raise(SIGUSR1);
  run(turns);
  raise(SIGUSR1);
  _exit(0);
}

/* Steps from one SIGUSR1 to the next. */
static uint64_t count_steps(pid_t pid) {
  int status;
  CHECK(waitpid(pid, &status, 0) == pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) {
    fprintf(stderr, "tracing is not allowed here\n");
    exit(SKIPPED);
  }
  while (WIFSTOPPED(status) && WSTOPSIG(status) != SIGUSR1) { /* stopped and continued by others */
    CHECK(ptrace(PTRACE_CONT, pid, NULL, NULL) == 0);
    CHECK(waitpid(pid, &status, 0) == pid);
  }
  CHECK(WIFSTOPPED(status));
  uint64_t steps = 0;
  do {
    if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) != 0) {
      fprintf(stderr, "no single steps here: %s\n", strerror(errno));
      kill(pid, SIGKILL);
      exit(SKIPPED);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status));
    steps += WSTOPSIG(status) == SIGTRAP; /* other signals are not passed on */
  } while (WSTOPSIG(status) != SIGUSR1);
  kill(pid, SIGKILL);
  CHECK(waitpid(pid, &status, 0) == pid);
  return steps;
}

static uint64_t steps_of(void (*run)(size_t), size_t turns) {
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) child(run, turns);
  return count_steps(pid);
}

/* Of one turn: what is done once falls out of the difference. */
static double per_turn(const char *name, void (*run)(size_t)) {
  uint64_t few = steps_of(run, FEW), many = steps_of(run, MANY);
  double steps = (double)(many - few) / (MANY - FEW);
  printf("%-12s %.2f instructions a turn\n", name, steps);
  return steps;
}

/* Parent and child take turns all the time: faster on one processor. */
static void stay_here(void) {
  cpu_set_t here;
  int cpu = sched_getcpu();
  CPU_ZERO(&here);
  if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET((size_t)cpu, &here);
  sched_setaffinity(0, sizeof here, &here);
}

#endif
