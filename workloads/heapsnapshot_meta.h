/* SPDX-License-Identifier: MIT */
/* What a heap snapshot says of itself: which column holds what. */
#ifndef TD_WORKLOADS_HEAPSNAPSHOT_META_H
#define TD_WORKLOADS_HEAPSNAPSHOT_META_H

#include "workloads/heapsnapshot_scan.h"

#define TD_SNAPSHOT_COLUMNS_MAX 16u
#define TD_SNAPSHOT_NONE UINT32_MAX

struct td_snapshot_meta {
  uint32_t node_columns;
  uint32_t node_id, node_size, node_edges; /* columns */
  uint32_t edge_columns;
  uint32_t edge_type, edge_target; /* columns */
  uint32_t edge_name;              /* column, or TD_SNAPSHOT_NONE */
  /* Values of edge_type, or TD_SNAPSHOT_NONE. */
  uint32_t edge_weak, edge_shortcut, edge_internal;
  uint64_t node_count, edge_count;
};

/* Reads the value of "snapshot" and sees that nothing needed is missing. */
bool td_snapshot_meta_read(struct td_scan *scan, struct td_snapshot_meta *meta);

#endif
