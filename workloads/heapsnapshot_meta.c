/* SPDX-License-Identifier: MIT */
#include "workloads/heapsnapshot_meta.h"

#include <string.h>

/* A name to look for in an array of strings, and where to put its position. */
struct wanted {
  const char *name;
  uint32_t *position;
};

/* Reads an array in which strings count; other values are passed over. */
static bool read_names(struct td_scan *scan, const struct wanted *wanted, size_t wanted_count,
                       uint32_t *count) {
  bool first = true;
  char name[32];
  *count = 0;
  if (!td_scan_open(scan, '[')) return false;
  while (td_scan_more(scan, ']', &first)) {
    if (td_scan_peek(scan) != '"') {
      if (!td_scan_skip(scan)) return false;
    } else if (td_scan_string(scan, name, sizeof name)) {
      for (size_t w = 0; w < wanted_count; w++) {
        if (strcmp(name, wanted[w].name) == 0) *wanted[w].position = *count;
      }
    }
    ++*count;
  }
  return !scan->failed;
}

/* edge_types holds one element per column: the names of the values if the column is a type.  In
 * every version of V8 so far the type is the first column. */
static bool read_edge_types(struct td_scan *scan, struct td_snapshot_meta *meta) {
  const struct wanted wanted[] = {{"weak", &meta->edge_weak},
                                  {"shortcut", &meta->edge_shortcut},
                                  {"internal", &meta->edge_internal}};
  bool first = true;
  bool is_first_column = true;
  uint32_t count;
  if (!td_scan_open(scan, '[')) return false;
  while (td_scan_more(scan, ']', &first)) {
    bool read = is_first_column && td_scan_peek(scan) == '[' ? read_names(scan, wanted, 3, &count)
                                                             : td_scan_skip(scan);
    if (!read) return false;
    is_first_column = false;
  }
  return !scan->failed;
}

static bool read_fields(struct td_scan *scan, struct td_snapshot_meta *meta) {
  const struct wanted node[] = {
      {"id", &meta->node_id}, {"self_size", &meta->node_size}, {"edge_count", &meta->node_edges}};
  const struct wanted edge[] = {{"type", &meta->edge_type},
                                {"to_node", &meta->edge_target},
                                {"name_or_index", &meta->edge_name}};
  bool first = true;
  char name[32];
  if (!td_scan_open(scan, '{')) return false;
  while (td_scan_more(scan, '}', &first)) {
    if (!td_scan_name(scan, name, sizeof name)) return false;
    bool read;
    if (strcmp(name, "node_fields") == 0) {
      read = read_names(scan, node, 3, &meta->node_columns);
    } else if (strcmp(name, "edge_fields") == 0) {
      read = read_names(scan, edge, 3, &meta->edge_columns);
    } else if (strcmp(name, "edge_types") == 0) {
      read = read_edge_types(scan, meta);
    } else {
      read = td_scan_skip(scan);
    }
    if (!read) return false;
  }
  return !scan->failed;
}

/* A column that was not named is at TD_SNAPSHOT_NONE, and so behind the last. */
static bool check(struct td_scan *scan, const struct td_snapshot_meta *meta) {
  const char *missing = NULL;
  if (meta->node_id >= meta->node_columns) missing = "node field \"id\"";
  if (meta->node_size >= meta->node_columns) missing = "node field \"self_size\"";
  if (meta->node_edges >= meta->node_columns) missing = "node field \"edge_count\"";
  if (meta->edge_type != 0) missing = "edge field \"type\" in front";
  if (meta->edge_target >= meta->edge_columns) missing = "edge field \"to_node\"";
  if (meta->node_columns > TD_SNAPSHOT_COLUMNS_MAX) missing = "sensible number of node fields";
  if (meta->edge_columns > TD_SNAPSHOT_COLUMNS_MAX) missing = "sensible number of edge fields";
  if (!missing) return true;
  scan->failed = true;
  return td_source_fail(scan->source, td_source_offset(scan->source),
                        "no %s in \"snapshot\".\"meta\"", missing);
}

bool td_snapshot_meta_read(struct td_scan *scan, struct td_snapshot_meta *meta) {
  *meta = (struct td_snapshot_meta){
      .node_id = TD_SNAPSHOT_NONE,
      .node_size = TD_SNAPSHOT_NONE,
      .node_edges = TD_SNAPSHOT_NONE,
      .edge_type = TD_SNAPSHOT_NONE,
      .edge_target = TD_SNAPSHOT_NONE,
      .edge_name = TD_SNAPSHOT_NONE,
      .edge_weak = TD_SNAPSHOT_NONE,
      .edge_shortcut = TD_SNAPSHOT_NONE,
      .edge_internal = TD_SNAPSHOT_NONE,
      .node_count = UINT64_MAX,
      .edge_count = UINT64_MAX,
  };
  bool first = true;
  char name[32];
  if (!td_scan_open(scan, '{')) return false;
  while (td_scan_more(scan, '}', &first)) {
    if (!td_scan_name(scan, name, sizeof name)) return false;
    bool read;
    if (strcmp(name, "meta") == 0) {
      read = read_fields(scan, meta);
    } else if (strcmp(name, "node_count") == 0) {
      read = td_scan_integer(scan, &meta->node_count);
    } else if (strcmp(name, "edge_count") == 0) {
      read = td_scan_integer(scan, &meta->edge_count);
    } else {
      read = td_scan_skip(scan);
    }
    if (!read) return false;
  }
  return !scan->failed && check(scan, meta);
}
