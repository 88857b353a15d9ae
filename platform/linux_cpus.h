/* SPDX-License-Identifier: MIT */
/* Linux: the CPUs that the calling thread may use. */
#ifndef TD_PLATFORM_LINUX_CPUS_H
#define TD_PLATFORM_LINUX_CPUS_H

#include <sched.h>
#include <stddef.h>

/* Returns the thread's affinity mask, of *bytes; NULL if there is no memory, or if the system does
 * not tell. The caller frees it with CPU_FREE. */
cpu_set_t *td_cpus_by_affinity(size_t *bytes);

#endif
