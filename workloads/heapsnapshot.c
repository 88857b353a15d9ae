/* SPDX-License-Identifier: MIT */
#include "workloads/heapsnapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/heapsnapshot_meta.h"
#include "workloads/import_ids.h"
#include "workloads/import_shapes.h"
#include "workloads/thg_error.h"
#include "workloads/thg_memory.h"

/* Objects with up to this many references get a shape with the references in front.  Those with
 * more are taken for arrays: the collector would look at every word of them. */
#define FRONT_MAX 32u

/* How many rows the scanner hands over in one go. */
#define BATCH_ROWS 512u

/* Memory for each node and each edge: arrays that are copied when they grow, and the graph. */
#define NODE_BYTES 80u
#define EDGE_BYTES 24u

#define NO_NAME UINT32_MAX /* no place in the strings */

struct node {
  uint64_t id;
  uint64_t size;
  uint32_t edges; /* as the snapshot counts them, then those kept */
};

struct importer {
  struct td_import_source *source;
  struct td_thg *graph;
  struct td_import_summary *summary;
  struct td_scan scan;
  struct td_snapshot_meta meta;
  struct td_import_shapes shapes;
  struct td_import_ids ids;
  struct node *nodes; /* in the order of the snapshot, as is targets[] */
  uint32_t *targets;  /* positions in nodes[], grouped by node */
  uint32_t *names;    /* of the same edges: where the name of an internal one is, or NO_NAME */
  uint32_t *number;   /* of each node in the graph */
  uint64_t node_capacity, target_capacity, name_capacity;
  uint64_t node_count, target_count, edge_total;
  uint64_t rows;                   /* of the list at hand, seen so far */
  uint64_t edge_node;              /* while reading edges: the node after the one they leave */
  uint32_t edges_left, edges_kept; /* of that node */
  uint32_t map_name;               /* where in the strings "map" is, or NO_NAME */
  bool has_meta, has_nodes, has_edges;
};

static bool no_memory(struct importer *in, const char *what) {
  return td_thg_fail_memory(in->source->error, in->source->name, what);
}

static bool fail_here(struct importer *in, const char *what) {
  return td_source_fail(in->source, td_source_offset(in->source), "%s", what);
}

/* Names the row too, as the scanner reads ahead of it. */
static bool fail_row(struct importer *in, const char *what) {
  return td_source_fail(in->source, td_source_offset(in->source), "before this, %s %llu: %s",
                        in->has_edges ? "edge" : "node", (unsigned long long)in->rows, what);
}

/* Returns whether the snapshot may have as many nodes, edges and slots as are known so far. */
static bool may_grow(struct importer *in) {
  char what[100];
  snprintf(what, sizeof what, "%llu nodes, %llu edges", (unsigned long long)in->node_count,
           (unsigned long long)in->target_count);
  return td_source_allows(in->source,
                          in->node_count * NODE_BYTES + in->target_count * EDGE_BYTES +
                              in->graph->ref_count * sizeof *in->graph->refs,
                          what);
}

/* Reads an array of rows of `columns` numbers and gives each to `accept`. */
static bool read_rows(struct importer *in, uint32_t columns,
                      bool (*accept)(struct importer *, const uint64_t *row)) {
  uint64_t batch[BATCH_ROWS * TD_SNAPSHOT_COLUMNS_MAX];
  size_t wanted = (size_t)BATCH_ROWS * columns;
  bool first = true;
  size_t got;
  in->rows = 0;
  if (!td_scan_open(&in->scan, '[')) return false;
  do {
    got = td_scan_integers(&in->scan, batch, wanted, &first);
    if (in->scan.failed) return false;
    if (got % columns != 0) return fail_here(in, "the list ends inside a row");
    for (size_t at = 0; at < got; at += columns) {
      if (!accept(in, batch + at)) return false;
      in->rows++;
    }
  } while (got == wanted);
  return true;
}

static bool accept_node(struct importer *in, const uint64_t *row) {
  uint64_t size = row[in->meta.node_size];
  uint64_t edges = row[in->meta.node_edges];
  if (in->node_count == TD_THG_NULL - 1) return fail_row(in, "more than 2^32 - 2 nodes");
  if (size >= TD_THG_SIZE_MAX) return fail_row(in, "over 2^40 bytes");
  if (edges >= UINT32_MAX) return fail_row(in, "over 2^32 edges");
  if (in->node_count == in->node_capacity && !may_grow(in)) return false;
  if (!td_grow((void **)&in->nodes, &in->node_capacity, in->node_count, sizeof *in->nodes)) {
    return no_memory(in, "its nodes");
  }
  in->nodes[in->node_count++] =
      (struct node){.id = row[in->meta.node_id], .size = size, .edges = (uint32_t)edges};
  in->edge_total += edges;
  return true;
}

static bool read_nodes(struct importer *in) {
  if (!in->has_meta) return fail_here(in, "\"nodes\" before \"snapshot\"");
  if (in->has_nodes) return fail_here(in, "\"nodes\" twice");
  in->has_nodes = true;
  if (!read_rows(in, in->meta.node_columns, accept_node)) return false;
  if (in->meta.node_count != UINT64_MAX && in->meta.node_count != in->node_count) {
    return fail_here(in, "\"node_count\" and the length of \"nodes\" differ");
  }
  return true;
}

static bool is_followed(const struct importer *in, const uint64_t *row) {
  uint64_t type = row[in->meta.edge_type];
  return type != in->meta.edge_weak && type != in->meta.edge_shortcut;
}

/* Returns where the name of an internal edge is.  Names of other edges may be indices, and a name
 * that does not fit is not the one looked for. */
static uint32_t internal_name(const struct importer *in, const uint64_t *row) {
  if (row[in->meta.edge_type] != in->meta.edge_internal ||
      in->meta.edge_name >= in->meta.edge_columns || row[in->meta.edge_name] >= NO_NAME) {
    return NO_NAME;
  }
  return (uint32_t)row[in->meta.edge_name];
}

/* Goes on to the next node that has edges; each node passed gets the number it keeps. */
static bool advance(struct importer *in) {
  while (in->edges_left == 0) {
    if (in->edge_node > 0) in->nodes[in->edge_node - 1].edges = in->edges_kept;
    if (in->edge_node == in->node_count) return fail_row(in, "more edges than the nodes have");
    in->edges_left = in->nodes[in->edge_node++].edges;
    in->edges_kept = 0;
  }
  return true;
}

static bool accept_edge(struct importer *in, const uint64_t *row) {
  if (in->edges_left == 0 && !advance(in)) return false;
  in->edges_left--;
  uint64_t target = row[in->meta.edge_target];
  if (target % in->meta.node_columns != 0 || target / in->meta.node_columns >= in->node_count) {
    return fail_row(in, "its target is no node");
  }
  if (!is_followed(in, row)) {
    in->summary->weak_edges++;
    return true;
  }
  if (in->target_count == in->target_capacity && !may_grow(in)) return false;
  if (!td_grow((void **)&in->targets, &in->target_capacity, in->target_count,
               sizeof *in->targets) ||
      !td_grow((void **)&in->names, &in->name_capacity, in->target_count, sizeof *in->names)) {
    return no_memory(in, "its edges");
  }
  in->names[in->target_count] = internal_name(in, row);
  in->targets[in->target_count++] = (uint32_t)(target / in->meta.node_columns);
  in->edges_kept++;
  return true;
}

static bool read_edges(struct importer *in) {
  if (!in->has_nodes) return fail_here(in, "\"edges\" before \"nodes\"");
  if (in->has_edges) return fail_here(in, "\"edges\" twice");
  in->has_edges = true;
  if (!read_rows(in, in->meta.edge_columns, accept_edge)) return false;
  if (in->rows != in->edge_total) {
    return fail_here(in, "fewer \"edges\" than the nodes count");
  }
  if (in->meta.edge_count != UINT64_MAX && in->meta.edge_count != in->rows) {
    return fail_here(in, "\"edge_count\" and the length of \"edges\" differ");
  }
  if (in->edge_node > 0) in->nodes[in->edge_node - 1].edges = in->edges_kept;
  return true;
}

/* Of all the strings only one is needed: the name of the edge from an object to its map. */
static bool read_strings(struct importer *in) {
  bool first = true;
  char text[8];
  if (!td_scan_open(&in->scan, '[')) return false;
  for (uint32_t s = 0; td_scan_more(&in->scan, ']', &first); s++) {
    bool is_found = in->map_name != NO_NAME;
    if (!td_scan_string(&in->scan, is_found ? NULL : text, is_found ? 0 : sizeof text)) {
      return false;
    }
    if (!is_found && strcmp(text, "map") == 0) in->map_name = s;
  }
  return !in->scan.failed;
}

static bool read_document(struct importer *in) {
  bool first = true;
  char name[32];
  if (!td_scan_open(&in->scan, '{')) return false;
  while (td_scan_more(&in->scan, '}', &first)) {
    if (!td_scan_name(&in->scan, name, sizeof name)) return false;
    bool read;
    if (strcmp(name, "snapshot") == 0) {
      read = td_snapshot_meta_read(&in->scan, &in->meta);
      in->has_meta = true;
    } else if (strcmp(name, "nodes") == 0) {
      read = read_nodes(in);
    } else if (strcmp(name, "edges") == 0) {
      read = read_edges(in);
    } else if (strcmp(name, "strings") == 0) {
      read = read_strings(in);
    } else {
      read = td_scan_skip(&in->scan);
    }
    if (!read) return false;
  }
  if (in->scan.failed) return false;
  if (!in->has_edges) return fail_here(in, "not a heap snapshot: no \"nodes\" and \"edges\"");
  if (!td_scan_end(&in->scan)) return false;
  return in->node_count > 0 ? true : fail_here(in, "no nodes, not even the root");
}

/* An object's map is its header and says what it is.  The collector knows that of its own objects
 * without a reference in them. */
static void drop_maps(struct importer *in) {
  uint64_t from = 0;
  uint64_t to = 0;
  if (in->map_name == NO_NAME) return;
  for (uint64_t n = 0; n < in->node_count; n++) {
    struct node *node = &in->nodes[n];
    uint64_t kept = to;
    for (uint32_t e = 0; e < node->edges; e++, from++) {
      if (in->names[from] != in->map_name) in->targets[to++] = in->targets[from];
    }
    in->summary->map_edges += node->edges - (to - kept);
    node->edges = (uint32_t)(to - kept);
  }
}

/* ---- From nodes to the graph --------------------------------------------------------------- */

static bool number_nodes(struct importer *in) {
  uint64_t *identifiers = td_new_array(in->node_count, sizeof *identifiers);
  in->number = td_new_array(in->node_count, sizeof *in->number);
  enum td_ids_result result = TD_IDS_NO_MEMORY;
  uint64_t where = 0;
  if (identifiers && in->number) {
    for (uint64_t n = 0; n < in->node_count; n++)
      identifiers[n] = in->nodes[n].id;
    result = td_ids_build(&in->ids, identifiers, in->node_count, &where);
  }
  free(identifiers);
  if (result == TD_IDS_NO_MEMORY) return no_memory(in, "its nodes");
  if (result == TD_IDS_TWICE) {
    return td_thg_fail(in->source->error, TD_THG_BAD_INPUT, 0,
                       "%s: node %llu: its id %llu is taken", in->source->name,
                       (unsigned long long)where, (unsigned long long)in->nodes[where].id);
  }
  for (uint64_t n = 0; n < in->node_count; n++) {
    in->number[n] = td_ids_find(&in->ids, in->nodes[n].id);
  }
  return true;
}

/* A node may be smaller in the snapshot than its references need; those that V8 makes up have no
 * size at all.  Such a node gets what they need. */
static bool shape_node(struct importer *in, const struct node *node, uint32_t index) {
  struct td_thg *graph = in->graph;
  uint64_t words = (node->size + TD_THG_WORD_BYTES - 1) / TD_THG_WORD_BYTES;
  uint64_t refs = node->edges;
  if (words < refs) words = refs;
  if (words == 0) words = 1;
  uint64_t slots = refs;
  uint32_t shape;
  if (refs <= FRONT_MAX) {
    uint64_t front = (UINT64_C(1) << refs) - 1;
    shape = td_shapes_bitmap(&in->shapes, &front, 1);
  } else if (words <= 4 * refs) {
    slots = words;
    shape = td_shapes_prefix(&in->shapes, 0);
  } else {
    uint64_t prefix = words - refs < UINT32_MAX ? words - refs : UINT32_MAX;
    words = prefix + refs;
    shape = td_shapes_prefix(&in->shapes, (uint32_t)prefix);
  }
  graph->shape_of[index] = shape;
  graph->size[index] = words * TD_THG_WORD_BYTES;
  graph->first_ref[index + 1] = slots;
  return shape != TD_SHAPES_NO_MEMORY;
}

static bool shape_nodes(struct importer *in) {
  struct td_thg *graph = in->graph;
  graph->object_count = (uint32_t)in->node_count;
  graph->shape_of = td_new_array(in->node_count, sizeof *graph->shape_of);
  graph->size = td_new_array(in->node_count, sizeof *graph->size);
  graph->first_ref = td_new_array(in->node_count + 1, sizeof *graph->first_ref);
  graph->roots = td_new_array(1, sizeof *graph->roots);
  if (!graph->shape_of || !graph->size || !graph->first_ref || !graph->roots) {
    return no_memory(in, "its objects");
  }
  for (uint64_t n = 0; n < in->node_count; n++) {
    if (!shape_node(in, &in->nodes[n], in->number[n])) return no_memory(in, "its shapes");
  }
  for (uint32_t i = 0; i < graph->object_count; i++) {
    graph->first_ref[i + 1] += graph->first_ref[i];
  }
  graph->ref_count = graph->first_ref[graph->object_count];
  if (!may_grow(in)) return false;
  graph->refs = td_new_array(graph->ref_count, sizeof *graph->refs);
  if (!graph->refs) return no_memory(in, "its references");
  graph->roots[0] = in->number[0];
  graph->root_count = 1;
  return true;
}

static void fill_references(struct importer *in) {
  struct td_thg *graph = in->graph;
  uint64_t at = 0;
  for (uint64_t n = 0; n < in->node_count; n++) {
    uint64_t slot = graph->first_ref[in->number[n]];
    uint64_t end = graph->first_ref[in->number[n] + 1];
    for (uint32_t e = 0; e < in->nodes[n].edges; e++) {
      graph->refs[slot++] = in->number[in->targets[at++]];
    }
    in->summary->null_slots += end - slot;
    while (slot < end)
      graph->refs[slot++] = TD_THG_NULL;
  }
}

bool td_heapsnapshot_import(struct td_import_source *source, struct td_thg *graph,
                            struct td_import_summary *summary) {
  struct importer in = {
      .source = source,
      .graph = graph,
      .summary = summary,
      .scan = {.source = source},
      .map_name = NO_NAME,
  };
  td_source_rewind(source, "reading nodes and edges", true);
  bool done = read_document(&in);
  if (done) drop_maps(&in);
  done = done && number_nodes(&in) && shape_nodes(&in);
  if (done) fill_references(&in);
  td_shapes_hand_over(&in.shapes, graph);
  td_ids_free(&in.ids);
  free(in.nodes);
  free(in.targets);
  free(in.names);
  free(in.number);
  return done;
}
