/* The live heap as a V8 heap snapshot, which Chrome's developer tools and `tidemark import` read.
 *
 * Objects follow a synthetic root node that refers to whatever the roots do. The format wants all
 * nodes with their numbers of edges first, then all edges, and the header how many there are, so
 * every object is scanned three times. */
#include <inttypes.h>

#include "inspect/snapshot.h"
#include "heap/walk.h"

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
  struct td_scanner scanner; /* first */
  struct td_snapshot *snapshot;
  FILE *file;
  uint64_t edge_count;
  uint64_t own_edges; /* of the node being scanned */
  uint64_t digest;    /* of the numbers of edges in this walk */
  bool write_edges;
  bool comma;
};

/* The root node is number 0. */
static uint64_t node_of(const struct writer *w, uintptr_t object) {
  return td_snapshot_number(w->snapshot, object) + 1;
}

static void edge(struct writer *w, uintptr_t target, enum edge_type type) {
  uint64_t node = node_of(w, target);
  if (node == 0) return; /* no object */
  if (w->write_edges) {
    fprintf(w->file, "%s%d,%" PRIu64 ",%" PRIu64, w->comma ? ",\n" : "", (int)type, w->own_edges,
            node * NODE_FIELDS);
    w->comma = true;
  }
  w->own_edges++;
  w->edge_count++;
}

static void reference(struct td_scanner *scanner, uintptr_t target) {
  edge((struct writer *)scanner, target, EDGE_ELEMENT);
}

static void weak(struct td_scanner *scanner, struct td_weak_object *object) {
  if (td_is_reference(scanner->space, object->target))
    edge((struct writer *)scanner, object->target, EDGE_WEAK);
}

static void ephemeron(struct td_scanner *scanner, struct td_ephemeron_object *object) {
  if (td_is_reference(scanner->space, object->key))
    edge((struct writer *)scanner, object->key, EDGE_WEAK);
  if (td_is_reference(scanner->space, object->value))
    edge((struct writer *)scanner, object->value, EDGE_ELEMENT);
}

static void scan_roots(struct writer *w) {
  w->own_edges = 0;
  td_snapshot_scan_roots(w->snapshot, &w->scanner);
}

static enum node_type node_type_of(const struct tide_heap *heap, tide_layout layout) {
  switch (heap->space.layouts.at[layout].kind) {
  case TD_KIND_LEAF:
    return NODE_NATIVE;
  case TD_KIND_REFS:
  case TD_KIND_PREFIXED:
    return NODE_ARRAY;
  default:
    return NODE_OBJECT;
  }
}

static void scan_object(struct writer *w, uintptr_t object) {
  w->own_edges = 0;
  td_scan_object(&w->scanner, object);
  w->digest = (w->digest ^ w->own_edges) * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

/* String number 0 is the root's, number i that of layout i. */
static bool visit(uintptr_t object, size_t bytes, tide_layout layout, void *context) {
  struct writer *w = context;
  scan_object(w, object);
  if (!w->write_edges)
    fprintf(w->file, ",\n%d,%u,%" PRIu64 ",%zu,%" PRIu64 ",0,0",
            (int)node_type_of(w->snapshot->heap, layout), layout, node_of(w, object) * 2 + 1, bytes,
            w->own_edges);
  return !td_snapshot_file_failed(w->snapshot);
}

static void write_strings(struct writer *w) {
  static const char *const kinds[TD_KINDS] = {
      "free",        "leaf",         "bitmap", "references",     "prefixed",
      "long bitmap", "conservative", "traced", "weak reference", "ephemeron"};
  fputs("],\"trace_function_infos\":[],\"trace_tree\":[],\"samples\":[],\"locations\":[],"
        "\"strings\":[\"(roots)\"",
        w->file);
  for (uint32_t i = 1; i < w->snapshot->heap->space.layouts.count; i++)
    fprintf(w->file, ",\n\"layout %" PRIu32 ": %s\"", i,
            kinds[w->snapshot->heap->space.layouts.at[i].kind]);
  fputs("]}\n", w->file);
}

/* The header says how many edges there are, so they are counted before anything is written. */
static bool count_edges(uintptr_t object, size_t bytes, tide_layout layout, void *context) {
  (void)bytes, (void)layout;
  scan_object(context, object);
  return true;
}

/* Each walk must find the same numbers of edges as the first, or the file would not fit together.
 */
static void walk_again(struct writer *w, td_space_visit each, uint64_t expected) {
  w->digest = 0;
  td_space_walk(w->scanner.space, each, w);
  if (w->digest != expected) td_snapshot_fail_unsteady(w->snapshot);
}

void td_snapshot_devtools(struct td_snapshot *snapshot) {
  const struct td_space *space = &snapshot->heap->space;
  struct writer w = {.snapshot = snapshot, .file = snapshot->file};
  td_scanner_init(&w.scanner, space, reference);
  w.scanner.weak = weak;
  w.scanner.ephemeron = ephemeron;
  scan_roots(&w);
  uint64_t root_edges = w.own_edges;
  td_space_walk(space, count_edges, &w);
  uint64_t digest = w.digest;
  fputs(header, w.file);
  fprintf(w.file,
          "\"node_count\":%" PRIu64 ",\"edge_count\":%" PRIu64 ",\"trace_function_count\":0},\n"
          "\"nodes\":[%d,0,1,0,%" PRIu64 ",0,0",
          snapshot->count + 1, w.edge_count, (int)NODE_SYNTHETIC, root_edges);
  walk_again(&w, visit, digest);
  fputs("],\n\"edges\":[", w.file);
  w.write_edges = true;
  scan_roots(&w);
  if (w.own_edges != root_edges) td_snapshot_fail_unsteady(snapshot);
  walk_again(&w, visit, digest);
  write_strings(&w);
}
