/* SPDX-License-Identifier: MIT */
/* Counts the instructions of a function: the processor traps behind each, and the handler of the
 * signal counts. No clock, so it comes out the same on a busy machine. Skipped (77) elsewhere than
 * on x86-64. */
#ifndef TD_TESTS_COST_STEPS_H
#define TD_TESTS_COST_STEPS_H

#include <signal.h>
#include <sys/mman.h>

#include "tests/stress/driver.h"

enum { SKIPPED = 77 };

/* In the child, before anything is counted. */
static void steps_prepare(void);

static volatile uint64_t *steps; /* shared with the child */

static void step(int signal) {
  *steps += 1;
}

/* The stack's red zone stays as it is. */
static inline void trap_each(bool on) {
#ifdef __x86_64__
  __asm__ volatile("subq $128, %%rsp\n\t"
                   "pushfq\n\t"
                   "andq $~0x100, (%%rsp)\n\t"
                   "orq %0, (%%rsp)\n\t"
                   "popfq\n\t"
                   "addq $128, %%rsp"
                   :
                   : "r"(on ? UINT64_C(0x100) : 0)
                   : "cc", "memory");
#endif
}

/* In a child, so that all begin alike. */
static uint64_t steps_of(void (*run)(size_t), size_t turns) {
  *steps = 0;
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    CHECK(sigaction(SIGTRAP, &(struct sigaction){.sa_handler = step}, NULL) == 0);
    steps_prepare();
    run(turns); /* what happens once only has happened */
    trap_each(true);
    run(turns);
    trap_each(false);
    _exit(0);
  }
  int status;
  CHECK(waitpid(pid, &status, 0) == pid && status == 0);
  return *steps;
}

/* Of one turn: what is done once falls out of the difference of few and many. */
static double per_turn(const char *name, void (*run)(size_t), size_t few, size_t many) {
  const uint64_t least = steps_of(run, few), most = steps_of(run, many);
  const double each = (double)(most - least) / (double)(many - few);
  printf("%-12s %.2f instructions a turn\n", name, each);
  return each;
}

/* Before the first count. */
static void steps_open(void) {
#ifndef __x86_64__
  fprintf(stderr, "skipped: the trap flag is x86-64's\n");
  exit(SKIPPED);
#endif
  void *shared =
      mmap(NULL, sizeof *steps, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(shared != MAP_FAILED);
  steps = shared;
}

#endif
