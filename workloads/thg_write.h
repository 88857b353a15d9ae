/* SPDX-License-Identifier: MIT */
/* Writing a recorded graph as a compressed .thg file. */
#ifndef TD_WORKLOADS_THG_WRITE_H
#define TD_WORKLOADS_THG_WRITE_H

#include "workloads/thg.h"

/* Writes a valid graph to path: first to a temporary file beside it, which is synced and renamed,
 * so that path holds either what it held before or the whole graph.  progress may be NULL.  Returns
 * whether it succeeded. */
bool td_thg_write(const char *path, const struct td_thg *graph,
                  const struct td_thg_progress *progress, struct td_thg_error *error);

#endif
