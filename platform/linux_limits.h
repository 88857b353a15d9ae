/* What control groups allow, by the files below `root`: "" for the system's own; tests have folders
 * of their own. Each returns the smaller of `limit` and what the groups say; files that are missing
 * or make no sense limit nothing. */
#ifndef TD_PLATFORM_LINUX_LIMITS_H
#define TD_PLATFORM_LINUX_LIMITS_H

#include <stdint.h>

uint64_t td_group_memory_bytes(const char *root, uint64_t limit);
uint64_t td_group_cpus(const char *root, uint64_t limit);

#endif
