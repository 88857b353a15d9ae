/* SPDX-License-Identifier: MIT */
/* Reading a .thg file.  docs/thg-format.md says what the reader does not believe. */
#ifndef TD_WORKLOADS_THG_READ_H
#define TD_WORKLOADS_THG_READ_H

#include "workloads/thg.h"

/* Reads a .thg file.  On success fills *graph, to be freed by td_thg_free.  On failure *graph is
 * empty and *error says why.  Returns whether it succeeded. */
bool td_thg_read(const char *path, struct td_thg *graph, struct td_thg_error *error);

/* The same from bytes in memory; name stands in for the path in messages. */
bool td_thg_read_bytes(const void *bytes, uint64_t length, const char *name, struct td_thg *graph,
                       struct td_thg_error *error);

#endif
