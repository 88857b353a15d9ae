/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE 1
#include "bench/simulate/calm.h"

#include <sched.h>
#include <stdint.h>
#include <unistd.h>

#include "bench/cli/clock.h"

#define STEPS 256u
#define FIRST_TRIES 2000u /* until the least is known */
#define TRIES 20u         /* that are looked at together, after as many that do not count */
#define MUCH 1.25         /* times the least, on average */
#define SLEEP_US 5000u    /* between two looks */
#define SLEEPS_MOST 100u  /* at once */
#define SLEEPS_ALL 4000u  /* of the process */

/* Four chains, as many as a core of today executes at once if nobody else uses it. */
static uint64_t time_of_steps(void) {
  uint64_t w = 0, x = 0, y = 0, z = 0, begin = td_now_ns();
  for (unsigned i = 0; i < STEPS; i++) {
#pragma GCC unroll 32
    for (unsigned k = 0; k < 32; k++) {
      w++, x++, y++, z++;
      __asm__ volatile("" : "+r"(w), "+r"(x), "+r"(y), "+r"(z));
    }
  }
  return td_now_ns() - begin;
}

static uint64_t least_of(unsigned tries) {
  uint64_t least = UINT64_MAX;
  for (unsigned i = 0; i < tries; i++) {
    uint64_t ns = time_of_steps();
    if (ns < least) least = ns;
  }
  return least;
}

static void move_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)cpu, &set);
  /* If this fails, the CPU on which the thread is speaks for all. */
  (void)sched_setaffinity(0, sizeof set, &set);
}

bool td_is_calm(const struct td_cpus *cpus) {
  static uint64_t least;
  cpu_set_t before;
  bool calm = true, moves = sched_getaffinity(0, sizeof before, &before) == 0;
  if (least == 0) least = least_of(FIRST_TRIES);
  for (unsigned i = 0; i < cpus->count && calm; i++) {
    if (moves) move_to(cpus->number[i]);
    uint64_t ns = least_of(TRIES), sum = 0; /* a processor that has slept begins slowly */
    if (ns < least) least = ns;
    for (unsigned k = 0; k < TRIES; k++)
      sum += time_of_steps();
    calm = (double)sum <= (double)least * TRIES * MUCH;
  }
  if (moves) (void)sched_setaffinity(0, sizeof before, &before);
  return calm;
}

void td_wait_for_calm(const struct td_cpus *cpus) {
  static unsigned all;
  for (unsigned i = 0; i < SLEEPS_MOST && all < SLEEPS_ALL && !td_is_calm(cpus); i++, all++)
    usleep(SLEEP_US);
}
