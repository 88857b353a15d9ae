/* SPDX-License-Identifier: MIT */
/* What control groups allow. The files are read below `root`: "" for the system's own; tests have
 * folders of their own. Each function returns `limit` or what the groups allow, whichever is less.
 * Files that are missing or make no sense limit nothing. */
#ifndef TD_PLATFORM_LINUX_LIMITS_H
#define TD_PLATFORM_LINUX_LIMITS_H

#include <stdint.h>

uint64_t td_group_memory_bytes(const char *root, uint64_t limit);
uint64_t td_group_cpus(const char *root, uint64_t limit);

#endif
