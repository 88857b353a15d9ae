/* The live heap as a V8 heap snapshot, which Chrome's developer tools and `tidemark import` read.
 *
 * Objects are numbered in address order, after a synthetic root node that refers to whatever the
 * roots do. The format wants all nodes with their numbers of edges first, then all edges, so
 * every object is scanned twice. An object's number is the count of set bits before its own in
 * a bitmap of granules, kept per block and counted inside it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gc/collect.h"
#include "gc/roots.h"

#define NODE_FIELDS 7u
#define BLOCK_WORDS (TD_BLOCK_GRANULES / 64)
#define PATH_MAX_BYTES 4096

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

struct snapshot {
  struct td_scanner scanner; /* first */
  struct tide_heap *heap;
  FILE *file;
  uint64_t *objects; /* bit per granule below the frontier */
  uint64_t *before;  /* per block: objects in lower blocks */
  uint64_t node_count, edge_count;
  uint64_t own_edges; /* of the node being scanned */
  bool write_edges;
  bool comma;
};

/* ---- Numbers of objects ---- */

static bool note(uintptr_t object, size_t bytes, tide_layout layout, void *context) {
  (void)bytes, (void)layout;
  struct snapshot *s = context;
  uint64_t granule = td_granule_of(s->heap->heap.base, object);
  s->objects[granule / 64] |= (uint64_t)1 << (granule % 64);
  return true;
}

static bool number_objects(struct snapshot *s) {
  uint32_t blocks = s->heap->heap.frontier;
  s->objects = calloc((size_t)blocks * BLOCK_WORDS + 1, sizeof *s->objects);
  s->before = calloc((size_t)blocks + 1, sizeof *s->before);
  if (!s->objects || !s->before) return false;
  td_heap_walk(&s->heap->heap, note, s);
  s->node_count = 1;
  for (uint32_t b = 0; b < blocks; b++) {
    s->before[b] = s->node_count;
    for (size_t i = 0; i < BLOCK_WORDS; i++)
      s->node_count += (uint64_t)__builtin_popcountll(s->objects[b * BLOCK_WORDS + i]);
  }
  return true;
}

/* 0 if the address is no object's. */
static uint64_t number_of(const struct snapshot *s, uintptr_t object) {
  uint64_t granule = td_granule_of(s->heap->heap.base, object);
  uint32_t block = td_block_of_granule(granule);
  if (block >= s->heap->heap.frontier) return 0;
  uint64_t bit = (uint64_t)1 << (granule % 64);
  if (!(s->objects[granule / 64] & bit)) return 0;
  uint64_t number = s->before[block];
  for (uint64_t i = (uint64_t)block * BLOCK_WORDS; i < granule / 64; i++)
    number += (uint64_t)__builtin_popcountll(s->objects[i]);
  return number + (uint64_t)__builtin_popcountll(s->objects[granule / 64] & (bit - 1));
}

/* ---- Nodes and edges ---- */

static void edge(struct snapshot *s, uintptr_t target, enum edge_type type) {
  uint64_t number = number_of(s, target);
  if (number == 0) return;
  if (s->write_edges) {
    fprintf(s->file, "%s%d,%" PRIu64 ",%" PRIu64, s->comma ? ",\n" : "", (int)type, s->own_edges,
            number * NODE_FIELDS);
    s->comma = true;
  }
  s->own_edges++;
  s->edge_count++;
}

static void reference(struct td_scanner *scanner, uintptr_t target) {
  edge((struct snapshot *)scanner, target, EDGE_ELEMENT);
}

static void weak(struct td_scanner *scanner, struct td_weak_object *object) {
  if (td_is_reference(scanner->heap, object->target))
    edge((struct snapshot *)scanner, object->target, EDGE_WEAK);
}

static void ephemeron(struct td_scanner *scanner, struct td_ephemeron_object *object) {
  if (td_is_reference(scanner->heap, object->key))
    edge((struct snapshot *)scanner, object->key, EDGE_WEAK);
  if (td_is_reference(scanner->heap, object->value))
    edge((struct snapshot *)scanner, object->value, EDGE_ELEMENT);
}

static void scan_spans(struct tide_heap *heap, const struct td_span *spans, size_t count,
                       void *context) {
  (void)heap;
  struct snapshot *s = context;
  for (size_t i = 0; i < count; i++)
    td_scan_span(&s->scanner, &spans[i]);
}

static void scan_roots(struct snapshot *s) {
  s->own_edges = 0;
  td_roots_gather(s->heap, false, scan_spans, s);
  td_roots_call_back(&s->scanner.tracer, s->heap);
}

static enum node_type node_type_of(const struct tide_heap *heap, tide_layout layout) {
  switch (heap->heap.layouts.at[layout].kind) {
  case TD_KIND_LEAF:
    return NODE_NATIVE;
  case TD_KIND_REFS:
  case TD_KIND_PREFIXED:
    return NODE_ARRAY;
  default:
    return NODE_OBJECT;
  }
}

/* String number 0 is the root's, number i that of layout i. */
static bool visit(uintptr_t object, size_t bytes, tide_layout layout, void *context) {
  struct snapshot *s = context;
  s->own_edges = 0;
  td_scan_object(&s->scanner, object);
  if (!s->write_edges)
    fprintf(s->file, ",\n%d,%u,%" PRIu64 ",%zu,%" PRIu64 ",0,0", (int)node_type_of(s->heap, layout),
            layout, number_of(s, object) * 2 + 1, bytes, s->own_edges);
  return !ferror(s->file);
}

static void write_strings(struct snapshot *s) {
  static const char *const kinds[TD_KINDS] = {
      "free",        "leaf",         "bitmap", "references",     "prefixed",
      "long bitmap", "conservative", "traced", "weak reference", "ephemeron"};
  fputs("],\"trace_function_infos\":[],\"trace_tree\":[],\"samples\":[],\"locations\":[],"
        "\"strings\":[\"(roots)\"",
        s->file);
  for (uint32_t i = 1; i < s->heap->heap.layouts.count; i++)
    fprintf(s->file, ",\n\"layout %" PRIu32 ": %s\"", i, kinds[s->heap->heap.layouts.at[i].kind]);
  fputs("]}\n", s->file);
}

/* The header says how many edges there are, so they are counted before anything is written. */
static bool count_edges(uintptr_t object, size_t bytes, tide_layout layout, void *context) {
  (void)bytes, (void)layout;
  struct snapshot *s = context;
  td_scan_object(&s->scanner, object);
  return true;
}

static void write_all(struct snapshot *s) {
  scan_roots(s);
  uint64_t root_edges = s->own_edges;
  td_heap_walk(&s->heap->heap, count_edges, s);
  fputs(header, s->file);
  fprintf(s->file,
          "\"node_count\":%" PRIu64 ",\"edge_count\":%" PRIu64 ",\"trace_function_count\":0},\n"
          "\"nodes\":[%d,0,1,0,%" PRIu64 ",0,0",
          s->node_count, s->edge_count, (int)NODE_SYNTHETIC, root_edges);
  td_heap_walk(&s->heap->heap, visit, s);
  fputs("],\n\"edges\":[", s->file);
  s->write_edges = true;
  scan_roots(s);
  td_heap_walk(&s->heap->heap, visit, s);
  write_strings(s);
}

struct snapshot_call {
  FILE *file;
  enum tide_status status;
};

static void snapshot_stopped(struct tide_mutator *mutator, void *argument) {
  struct snapshot_call *call = argument;
  struct tide_heap *heap = mutator->heap;
  struct snapshot s = {.heap = heap, .file = call->file};
  td_scanner_init(&s.scanner, &heap->heap, reference);
  s.scanner.weak = weak;
  s.scanner.ephemeron = ephemeron;
  pthread_mutex_lock(&heap->roots.lock);
  pthread_mutex_lock(&heap->finalizers.lock);
  if (number_objects(&s))
    write_all(&s);
  else
    call->status = TIDE_ERROR_MEMORY;
  pthread_mutex_unlock(&heap->finalizers.lock);
  pthread_mutex_unlock(&heap->roots.lock);
  free(s.objects);
  free(s.before);
}

enum tide_status tide_heap_snapshot(struct tide_mutator *mutator, const char *path,
                                    struct tide_error *error) {
  char part[PATH_MAX_BYTES];
  if (!mutator || !path || !*path || strlen(path) + sizeof ".part" > sizeof part)
    return td_fail(error, TIDE_ERROR_ARGUMENT, "tide_heap_snapshot: %s",
                   mutator ? "path is empty or too long" : "mutator is NULL");
  enum tide_status status = tide_collect(mutator);
  if (status != TIDE_OK)
    return td_fail(error, status, "tide_heap_snapshot: a collection is not possible here");
  /* Under another name until it is whole. */
  snprintf(part, sizeof part, "%s.part", path);
  struct snapshot_call call = {.file = fopen(part, "we"), .status = TIDE_OK};
  if (!call.file)
    return td_fail(error, TIDE_ERROR_SYSTEM, "tide_heap_snapshot: %.160s: %s", part,
                   strerror(errno));
  td_with_world_stopped(mutator, "tide_heap_snapshot", snapshot_stopped, &call);
  bool failed = ferror(call.file) != 0;
  failed |= fclose(call.file) != 0;
  int reason = errno;
  if (call.status == TIDE_OK && !failed && rename(part, path) == 0)
    return td_fail(error, TIDE_OK, "%s", "");
  if (call.status == TIDE_OK && !failed) reason = errno;
  remove(part);
  if (call.status != TIDE_OK)
    return td_fail(error, call.status, "tide_heap_snapshot: not enough memory");
  return td_fail(error, TIDE_ERROR_SYSTEM, "tide_heap_snapshot: %.160s: %s", path,
                 strerror(reason));
}
