/* SPDX-License-Identifier: MIT */
/* Work that must not take the program down: hwloc crashes when it gets no memory. */
#ifndef TD_BENCH_CLI_ASIDE_H
#define TD_BENCH_CLI_ASIDE_H

#include <stdbool.h>
#include <stddef.h>

/* Runs work(result) in a copy of this process, where *result is all zero at first, and copies what
 * it made of it here. Standard error leads nowhere meanwhile. Returns false with errno set, and the
 * result untouched, if there is no memory or process for it, if work returned false, or if its
 * process ended before. */
bool td_aside(bool (*work)(void *result), void *result, size_t bytes);

#endif
