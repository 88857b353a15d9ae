#include "workloads/heapsnapshot_meta.h"

#include <string.h>

/* A name to look for in an array of strings, and where to put its position. */
struct wanted {
  const char *name;
  uint32_t *position;
};

/* Read an array of strings, or of anything in between. */
static bool read_names(struct td_json *json, const struct wanted *wanted, size_t wanted_count,
                       uint32_t *count) {
  bool first = true;
  char name[32];
  *count = 0;
  if (!td_json_open(json, '[')) return false;
  while (td_json_more(json, ']', &first)) {
    if (td_json_peek(json) != '"') {
      if (!td_json_skip(json)) return false;
    } else if (td_json_string(json, name, sizeof name)) {
      for (size_t w = 0; w < wanted_count; w++) {
        if (strcmp(name, wanted[w].name) == 0) *wanted[w].position = *count;
      }
    }
    if (++*count > 1024) break;
  }
  return !json->failed;
}

/* edge_types holds one element per column: the names of the values if the column is a type. The
 * type is the first column in every version of V8 there has been. */
static bool read_edge_types(struct td_json *json, struct td_snapshot_meta *meta) {
  const struct wanted wanted[] = {{"weak", &meta->edge_weak}, {"shortcut", &meta->edge_shortcut}};
  bool first = true;
  bool is_first_column = true;
  uint32_t count;
  if (!td_json_open(json, '[')) return false;
  while (td_json_more(json, ']', &first)) {
    bool read = is_first_column && td_json_peek(json) == '[' ? read_names(json, wanted, 2, &count)
                                                             : td_json_skip(json);
    if (!read) return false;
    is_first_column = false;
  }
  return !json->failed;
}

static bool read_fields(struct td_json *json, struct td_snapshot_meta *meta) {
  const struct wanted node[] = {
      {"id", &meta->node_id}, {"self_size", &meta->node_size}, {"edge_count", &meta->node_edges}};
  const struct wanted edge[] = {{"type", &meta->edge_type}, {"to_node", &meta->edge_target}};
  bool first = true;
  char name[32];
  if (!td_json_open(json, '{')) return false;
  while (td_json_more(json, '}', &first)) {
    if (!td_json_name(json, name, sizeof name)) return false;
    bool read;
    if (strcmp(name, "node_fields") == 0) {
      read = read_names(json, node, 3, &meta->node_columns);
    } else if (strcmp(name, "edge_fields") == 0) {
      read = read_names(json, edge, 2, &meta->edge_columns);
    } else if (strcmp(name, "edge_types") == 0) {
      read = read_edge_types(json, meta);
    } else {
      read = td_json_skip(json);
    }
    if (!read) return false;
  }
  return !json->failed;
}

static bool check(struct td_json *json, const struct td_snapshot_meta *meta) {
  const char *missing = NULL;
  if (meta->node_id == TD_SNAPSHOT_NONE) missing = "node field \"id\"";
  if (meta->node_size == TD_SNAPSHOT_NONE) missing = "node field \"self_size\"";
  if (meta->node_edges == TD_SNAPSHOT_NONE) missing = "node field \"edge_count\"";
  if (meta->edge_type != 0) missing = "edge field \"type\" in front";
  if (meta->edge_target == TD_SNAPSHOT_NONE) missing = "edge field \"to_node\"";
  if (meta->node_columns > TD_SNAPSHOT_COLUMNS_MAX) missing = "sensible number of node fields";
  if (meta->edge_columns > TD_SNAPSHOT_COLUMNS_MAX) missing = "sensible number of edge fields";
  if (!missing) return true;
  json->failed = true;
  return td_source_fail(json->source, td_source_offset(json->source),
                        "no %s in \"snapshot\".\"meta\"", missing);
}

bool td_snapshot_meta_read(struct td_json *json, struct td_snapshot_meta *meta) {
  *meta = (struct td_snapshot_meta){
      .node_id = TD_SNAPSHOT_NONE,
      .node_size = TD_SNAPSHOT_NONE,
      .node_edges = TD_SNAPSHOT_NONE,
      .edge_type = TD_SNAPSHOT_NONE,
      .edge_target = TD_SNAPSHOT_NONE,
      .edge_weak = TD_SNAPSHOT_NONE,
      .edge_shortcut = TD_SNAPSHOT_NONE,
      .node_count = UINT64_MAX,
      .edge_count = UINT64_MAX,
  };
  bool first = true;
  char name[32];
  if (!td_json_open(json, '{')) return false;
  while (td_json_more(json, '}', &first)) {
    if (!td_json_name(json, name, sizeof name)) return false;
    bool read;
    if (strcmp(name, "meta") == 0) {
      read = read_fields(json, meta);
    } else if (strcmp(name, "node_count") == 0) {
      read = td_json_integer(json, &meta->node_count);
    } else if (strcmp(name, "edge_count") == 0) {
      read = td_json_integer(json, &meta->edge_count);
    } else {
      read = td_json_skip(json);
    }
    if (!read) return false;
  }
  return !json->failed && check(json, meta);
}
