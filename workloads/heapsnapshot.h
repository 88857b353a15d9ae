/* SPDX-License-Identifier: MIT */
/* Importing a V8 heap snapshot: one pass over the source, memory in proportion to the graph.
 *
 * A .heapsnapshot is JSON: `snapshot.meta` names the columns, then `nodes` and `edges` are two
 * flat arrays of numbers, the edges grouped by the node they leave.  Nodes are numbered here in
 * the order of their `id`. */
#ifndef TD_WORKLOADS_HEAPSNAPSHOT_H
#define TD_WORKLOADS_HEAPSNAPSHOT_H

#include "workloads/import_source.h"
#include "workloads/import_summary.h"
#include "workloads/thg.h"

/* Fills *graph and adds to *summary; on failure the caller frees the graph. */
bool td_heapsnapshot_import(struct td_import_source *source, struct td_thg *graph,
                            struct td_import_summary *summary);

#endif
