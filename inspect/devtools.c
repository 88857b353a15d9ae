/* SPDX-License-Identifier: MIT */
/* The live heap as a V8 heap snapshot, which Chrome's developer tools and `tidemark import` read.
 *
 * Objects follow a synthetic root node that refers to whatever the roots do. The format wants all
 * nodes with their numbers of edges first, then all edges, and the header how many there are, so
 * every object is scanned three times. */
#include "inspect/writers.h"

#include <inttypes.h>
#include <stdlib.h>

#define NODE_FIELDS 7u

/* Positions in the lists of types of the header. */
enum node_type { NODE_ARRAY = 1, NODE_OBJECT = 3, NODE_NATIVE = 8, NODE_SYNTHETIC = 9 };
enum edge_type { EDGE_ELEMENT = 1, EDGE_WEAK = 6 };

static const char header[] =
    "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\","
    "\"edge_count\",\"trace_node_id\",\"detachedness\"],\"node_types\":[[\"hidden\",\"array\","
    "\"string\",\"object\",\"code\",\"closure\",\"regexp\",\"number\",\"native\",\"synthetic\","
    "\"concatenated string\",\"sliced string\",\"symbol\",\"bigint\",\"object shape\"],"
    "\"string\",\"number\",\"number\",\"number\",\"number\",\"number\"],\"edge_fields\":[\"type\","
    "\"name_or_index\",\"to_node\"],\"edge_types\":[[\"context\",\"element\",\"property\","
    "\"internal\",\"hidden\",\"shortcut\",\"weak\"],\"string_or_number\",\"node\"],"
    "\"trace_function_info_fields\":[],\"trace_node_fields\":[],\"sample_fields\":[],"
    "\"location_fields\":[]},";

struct writer {
  struct tide_walk *walk;
  FILE *file;
  struct td_outcome *outcome;
  uint64_t edge_count;
  uint64_t own_edges; /* of the node being scanned */
  uint64_t digest;    /* of the numbers of edges in this walk */
  bool write_edges;
  bool comma;
};

/* The root node is number 0. */
static uint64_t node_of(uint64_t number) {
  return number + 1;
}

static void edge(struct writer *w, const void *target, enum edge_type type) {
  if (w->write_edges) {
    fprintf(w->file, "%s%d,%" PRIu64 ",%" PRIu64, w->comma ? ",\n" : "", (int)type, w->own_edges,
            node_of(tide_walk_number(w->walk, target)) * NODE_FIELDS);
    w->comma = true;
  }
  w->own_edges++;
  w->edge_count++;
}

static bool visit_root(struct tide_walk *walk, const struct tide_walk_root *root, void *context) {
  (void)walk;
  edge(context, root->target, EDGE_ELEMENT);
  return true;
}

static bool visit_reference(struct tide_walk *walk, const struct tide_walk_reference *reference,
                            void *context) {
  (void)walk;
  bool weak = reference->kind == TIDE_REFERENCE_WEAK || reference->kind == TIDE_REFERENCE_KEY;
  edge(context, reference->target, weak ? EDGE_WEAK : EDGE_ELEMENT);
  return true;
}

static void scan_roots(struct writer *w) {
  w->own_edges = 0;
  if (tide_walk_roots(w->walk, visit_root, w) != TIDE_OK) td_outcome_fail_memory(w->outcome);
}

static void scan_object(struct writer *w, const struct tide_walk_object *object) {
  w->own_edges = 0;
  tide_walk_references(w->walk, object->address, visit_reference, w);
  w->digest = (w->digest ^ w->own_edges) * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

static enum node_type node_type_of(const struct writer *w, tide_layout layout) {
  struct tide_layout_info info = {.kind = TIDE_KIND_LEAF};
  tide_walk_layout(w->walk, layout, &info);
  switch (info.kind) {
  case TIDE_KIND_LEAF:
    return NODE_NATIVE;
  case TIDE_KIND_REFERENCES:
  case TIDE_KIND_PREFIXED:
  case TIDE_KIND_REPEATED:
    return NODE_ARRAY;
  default:
    return NODE_OBJECT;
  }
}

/* String number 0 is the root's, number i that of layout i. */
static bool put_object(struct tide_walk *walk, const struct tide_walk_object *object,
                       void *context) {
  (void)walk;
  struct writer *w = context;
  scan_object(w, object);
  if (!w->write_edges)
    fprintf(w->file, ",\n%d,%u,%" PRIu64 ",%zu,%" PRIu64 ",0,0",
            (int)node_type_of(w, object->layout), object->layout, node_of(object->number) * 2 + 1,
            object->bytes, w->own_edges);
  return td_outcome_is_fine(w->outcome, w->file);
}

/* Names are UTF-8 without control characters: tide_layout_named makes sure of it. */
static void put_name(FILE *file, const char *name) {
  for (; *name; name++)
    fprintf(file, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
}

static void put_strings(struct writer *w) {
  static const char *const kinds[] = {
      [TIDE_KIND_LEAF] = "leaf",
      [TIDE_KIND_BITMAP] = "bitmap",
      [TIDE_KIND_REFERENCES] = "references",
      [TIDE_KIND_PREFIXED] = "prefixed",
      [TIDE_KIND_CONSERVATIVE] = "conservative",
      [TIDE_KIND_REPEATED] = "array",
      [TIDE_KIND_TRACED] = "traced",
      [TIDE_KIND_WEAK] = "weak reference",
      [TIDE_KIND_EPHEMERON] = "ephemeron",
  };
  fputs("],\"trace_function_infos\":[],\"trace_tree\":[],\"samples\":[],\"locations\":[],"
        "\"strings\":[\"(roots)\"",
        w->file);
  for (uint32_t i = 1; i <= tide_walk_layouts(w->walk); i++) {
    struct tide_layout_info info = {.kind = TIDE_KIND_LEAF};
    tide_walk_layout(w->walk, (tide_layout)i, &info);
    fputs(",\n\"", w->file);
    if (info.name)
      put_name(w->file, info.name);
    else
      fprintf(w->file, "layout %" PRIu32 ": %s", i, kinds[info.kind]);
    fputs("\"", w->file);
  }
  fputs("]}\n", w->file);
}

/* The header says how many edges there are, so they are counted before anything is written. */
static bool count_edges(struct tide_walk *walk, const struct tide_walk_object *object,
                        void *context) {
  (void)walk;
  scan_object(context, object);
  return true;
}

/* Each walk must find the same numbers of edges as the first, or the file would not fit together.
 */
static void walk_again(struct writer *w, uint64_t expected) {
  w->digest = 0;
  tide_walk_objects(w->walk, put_object, w);
  if (w->digest != expected) td_outcome_fail_unsteady(w->outcome);
}

void td_devtools_write(struct tide_walk *walk, FILE *file, struct td_outcome *outcome) {
  struct writer w = {.walk = walk, .file = file, .outcome = outcome};
  scan_roots(&w);
  uint64_t root_edges = w.own_edges;
  tide_walk_objects(walk, count_edges, &w);
  uint64_t digest = w.digest;
  fputs(header, file);
  fprintf(file,
          "\"node_count\":%" PRIu64 ",\"edge_count\":%" PRIu64 ",\"trace_function_count\":0},\n"
          "\"nodes\":[%d,0,1,0,%" PRIu64 ",0,0",
          tide_walk_count(walk) + 1, w.edge_count, (int)NODE_SYNTHETIC, root_edges);
  walk_again(&w, digest);
  fputs("],\n\"edges\":[", file);
  w.write_edges = true;
  scan_roots(&w);
  if (w.own_edges != root_edges) td_outcome_fail_unsteady(outcome);
  walk_again(&w, digest);
  put_strings(&w);
  td_outcome_is_fine(outcome, file);
}
