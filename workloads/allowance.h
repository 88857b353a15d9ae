/* SPDX-License-Identifier: MIT */
/* How much memory a file may make its reader take: the allowance that its length justifies
 * (inspect/thg/format.h), for dumps as for graph files, and no more than the machine and its
 * control group have.  Readers ask before they take.  docs/importing.md states the rule for users.
 */
#ifndef TD_WORKLOADS_ALLOWANCE_H
#define TD_WORKLOADS_ALLOWANCE_H

#include "inspect/thg/format.h"
#include "workloads/thg_error.h"

#ifndef TD_ALLOWANCE_BASE_BYTES /* fuzz targets set it lower */
#define TD_ALLOWANCE_BASE_BYTES TD_THG_ALLOWANCE_BASE
#endif

/* Returns what a file of that length is granted: in memory, and in bytes that it may expand to. */
uint64_t td_allowance_bytes(uint64_t file_bytes);

/* Returns whether `what`, which the file holds, may take `wanted` bytes of memory.  If not, the
 * error names the file and all numbers; the input is at fault where its allowance is too small,
 * and resources are missing where the machine is. */
bool td_allowance_covers(const char *name, uint64_t file_bytes, const char *what, uint64_t wanted,
                         struct td_thg_error *error);

#endif
