/* SPDX-License-Identifier: MIT */
/* Linux: the CPUs that threads execute on. */
#include <errno.h>
#include <sched.h>

#include "platform/linux_cpus.h"
#include "platform/platform.h"

/* If the mask of a large machine does not fit, the kernel says EINVAL, and a longer one is tried.
 */
cpu_set_t *td_cpus_by_affinity(size_t *bytes) {
  for (size_t cpus = CPU_SETSIZE; cpus <= (size_t)1 << 20; cpus *= 4) {
    cpu_set_t *set = CPU_ALLOC(cpus);
    if (!set) return NULL;
    *bytes = CPU_ALLOC_SIZE(cpus);
    CPU_ZERO_S(*bytes, set);
    if (sched_getaffinity(0, *bytes, set) == 0) return set;
    int reason = errno;
    CPU_FREE(set);
    if (reason != EINVAL) return NULL;
  }
  return NULL;
}

int td_plat_cpu_here(void) {
  int saved = errno;
  int cpu = sched_getcpu();
  errno = saved;
  return cpu;
}

/* Takes away the CPUs that are not wanted. The system moves the thread as soon as the one on which
 * it executes is not allowed any more, and leaves it where it is when all are allowed again. */
static bool leave(const int *cpus, unsigned count, cpu_set_t *set, size_t bytes) {
  cpu_set_t *fewer = CPU_ALLOC(bytes * 8);
  if (!fewer) return false;
  CPU_ZERO_S(bytes, fewer);
  CPU_OR_S(bytes, fewer, fewer, set);
  for (unsigned i = 0; i < count; i++)
    if (cpus[i] >= 0) CPU_CLR_S((size_t)cpus[i], bytes, fewer);
  bool moved = CPU_COUNT_S(bytes, fewer) > 0 && sched_setaffinity(0, bytes, fewer) == 0;
  if (moved) sched_setaffinity(0, bytes, set);
  CPU_FREE(fewer);
  return moved;
}

bool td_plat_leave_cpus(const int *cpus, unsigned count) {
  int saved = errno;
  size_t bytes;
  cpu_set_t *set = td_cpus_by_affinity(&bytes);
  bool moved = set && leave(cpus, count, set, bytes);
  if (set) CPU_FREE(set);
  errno = saved;
  return moved;
}

/* Intel's processors are of a kind that was measured if they have VBMI2: from Ice Lake on. */
enum td_plat_avx512 td_plat_avx512(void) {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt"))
    return __builtin_cpu_is("intel") && __builtin_cpu_supports("avx512vbmi2") ? TD_PLAT_AVX512_FAST
                                                                              : TD_PLAT_AVX512_RUNS;
#endif
  return TD_PLAT_AVX512_NONE;
}
