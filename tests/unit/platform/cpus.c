/* SPDX-License-Identifier: MIT */
/* Moving the calling thread to another CPU. */
#include <criterion/criterion.h>
#include <sched.h>
#include <stdint.h>

#include "platform/platform.h"

enum { TURNS = 50, MOST = CPU_SETSIZE };

static cpu_set_t allowed;
static int cpus[MOST];
static unsigned count;

static void read_allowed(void) {
  cr_assert_eq(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  count = 0;
  for (int cpu = 0; cpu < MOST; cpu++)
    if (CPU_ISSET((size_t)cpu, &allowed)) cpus[count++] = cpu;
}

static void check_allowed(void) {
  cpu_set_t now;
  cr_assert_eq(sched_getaffinity(0, sizeof now, &now), 0);
  cr_assert(CPU_EQUAL(&now, &allowed), "the mask stays the same");
}

Test(cpus, here_is_one_that_is_allowed) {
  read_allowed();
  int here = td_plat_cpu_here();
  cr_assert(here >= 0 && here < MOST && CPU_ISSET((size_t)here, &allowed), "%d", here);
}

Test(cpus, there_is_nowhere_to_go_if_all_are_taken) {
  read_allowed();
  cr_assert_not(td_plat_leave_cpus(cpus, count));
  check_allowed();
}

Test(cpus, numbers_that_are_none_do_no_harm) {
  read_allowed();
  const int none[] = {-1, INT32_MIN, INT32_MAX, 1 << 20};
  cr_assert(td_plat_leave_cpus(none, 4));
  check_allowed();
}
