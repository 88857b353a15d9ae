/* SPDX-License-Identifier: MIT */
/* tidemark-boehm: one graph on Boehm GC, kept alive and marked on request.
 *
 * Started by the tidemark program, one process per graph, marker count and kind, so that two
 * collectors never share a heap. It speaks lines, requests on standard input, answers on
 * standard output (bench/boehm/guest.c), and ends when its input does:
 *   mark    one full collection: "marked NS", its mark phase
 *   count   "count OBJECTS BYTES": objects of the graph whose mark is set, and the bytes of
 *           everything marked
 *   check   "checked MISSING EXTRA": objects that a serial search over a recording of the graph
 *           reaches and that are not marked, and the other way round
 *   strays  takes the graph's roots away and collects: "strays OBJECTS", those that something else
 *           still leads to. The graph is gone then; for tests.
 *
 * How Boehm GC is set up, to its advantage where there is a choice: references in these graphs
 * point at first bytes only, so interior pointers are not recognised in the heap (which saves
 * it a byte, often a granule, per object); it does not collect while the graph is being built; and
 * nothing but the roots leads into the graph (bench/boehm/collector.h). */
#define GC_THREADS
#include <gc/gc.h>
#include <gc/gc_mark.h>
#include <gc/gc_typed.h>

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bench/boehm/collector.h"
#include "workloads/graph.h"
#include "workloads/sink_record.h"

#define ROOTS_PER_CHUNK 4096u
#define SHAPES_MAX 65536u
/* Boehm GC has room for only a few object kinds of its client. If a graph has more shapes than
 * this, each object of the further shapes carries its own descriptor. */
#define OWN_KINDS_MAX 6u

enum how { ATOMIC, WORDS, OWN_KIND, DESCRIPTOR };

struct shape {
  enum how how;
  unsigned kind;
  GC_descr descriptor;
};

/* Roots; the collector scans the slots. */
struct chunk {
  struct chunk *next;
  size_t used;
  void *slot[ROOTS_PER_CHUNK];
};

struct graph {
  bool typed;
  struct shape *shapes;
  uint32_t shape_count;
  unsigned own_kinds;
  struct chunk *chunk; /* the newest, to which roots are added */
  /* Every object, in the order of allocation. Boehm GC does not scan malloc's memory, so this list
   * keeps nothing alive. */
  void **objects;
  size_t object_count, object_capacity;
};

static int say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int say(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int written = vprintf(format, arguments);
  va_end(arguments);
  return written < 0 || fflush(stdout) != 0;
}

static int fail(int status, const char *text) {
  say("error %d %s\n", status, text);
  return status;
}

/* ---- The sink -------------------------------------------------------------------------- */

/* To Boehm GC, an object with references after a prefix and an object of references only are plain
 * words. It scans the prefix as well, which holds small numbers. */
static struct shape describe(struct graph *graph, const struct td_thg_shape *shape) {
  if (shape->kind == TD_THG_LEAF) return (struct shape){.how = ATOMIC};
  if (!graph->typed || shape->kind != TD_THG_BITMAP) return (struct shape){.how = WORDS};
  _Static_assert(sizeof(GC_word) == sizeof(uint64_t), "bitmaps are handed over as they are");
  size_t bits = 64 * (size_t)shape->bitmap_words;
  while (bits > 1 && !(shape->bitmap[(bits - 1) / 64] >> ((bits - 1) % 64) & 1))
    bits--;
  struct shape result = {.how = DESCRIPTOR,
                         .descriptor = GC_make_descriptor((const GC_word *)shape->bitmap, bits)};
  if (graph->own_kinds < OWN_KINDS_MAX) {
    graph->own_kinds++;
    result.how = OWN_KIND;
    result.kind = GC_new_kind(GC_new_free_list(), result.descriptor, 0, 1);
  }
  return result;
}

static uint32_t sink_shape(void *context, const struct td_thg_shape *shape) {
  struct graph *graph = context;
  if (graph->shape_count == SHAPES_MAX) return TD_GRAPH_SHAPE_NONE;
  graph->shapes[graph->shape_count] = describe(graph, shape);
  return graph->shape_count++;
}

static void *allocate(const struct shape *shape, size_t bytes) {
  switch (shape->how) {
  case ATOMIC:
    return GC_malloc_atomic(bytes);
  case OWN_KIND:
    return GC_generic_malloc(bytes, (int)shape->kind);
  case DESCRIPTOR:
    return GC_malloc_explicitly_typed(bytes, shape->descriptor);
  case WORDS:
    break;
  }
  return GC_malloc(bytes);
}

static bool remember(struct graph *graph, void *object) {
  if (graph->object_count == graph->object_capacity) {
    size_t capacity = graph->object_capacity ? graph->object_capacity * 2 : 4096;
    void **grown = realloc(graph->objects, capacity * sizeof *grown);
    if (!grown) return false;
    graph->objects = grown;
    graph->object_capacity = capacity;
  }
  graph->objects[graph->object_count++] = object;
  return true;
}

/* The cells that a stray word would lead to are left to die. */
static void *allocate_unmet(const struct shape *shape, size_t bytes) {
  void *object = allocate(shape, bytes);
  while (object && td_collector_may_be_met(object, bytes))
    object = allocate(shape, bytes);
  return object;
}

static void *sink_alloc(void *context, uint32_t number, size_t bytes) {
  struct graph *graph = context;
  void *object = allocate_unmet(&graph->shapes[number], bytes);
  return object && remember(graph, object) ? object : NULL;
}

static bool sink_root(void *context, void *object) {
  struct graph *graph = context;
  if (!graph->chunk || graph->chunk->used == ROOTS_PER_CHUNK) {
    struct chunk *chunk = calloc(1, sizeof *chunk);
    if (!chunk) return false;
    GC_add_roots(chunk->slot, chunk->slot + ROOTS_PER_CHUNK);
    chunk->next = graph->chunk;
    graph->chunk = chunk;
  }
  graph->chunk->slot[graph->chunk->used++] = object;
  return true;
}

/* malloc's memory will do: nothing is collected while the graph is being built. */
static void **sink_table_new(void *context, size_t count) {
  (void)context;
  return calloc(count ? count : 1, sizeof(void *));
}

static void sink_table_free(void *context, void **table, size_t count) {
  (void)context;
  (void)count;
  free(table);
}

static void sink_progress(void *context, uint64_t done, uint64_t total) {
  (void)context;
  say("progress %" PRIu64 " %" PRIu64 "\n", done, total);
}

static const char *sink_reason(void *context) {
  (void)context;
  return "Boehm GC gives no more memory";
}

/* ---- Marking and counting -------------------------------------------------------------- */

static void GC_CALLBACK add_bytes(void *object, size_t bytes, void *context) {
  (void)object;
  *(uint64_t *)context += bytes;
}

struct count {
  const struct graph *graph;
  uint64_t objects, bytes;
};

/* The allocation lock must be held. A dead large object has no block header any more, and
 * GC_is_marked would read it: GC_base is asked first. */
static bool is_marked(void *object) {
  return GC_base(object) == object && GC_is_marked(object);
}

/* Boehm GC marks more than the graph, the free lists of its threads for one. So the objects of the
 * graph are asked for their marks one by one. */
static void *GC_CALLBACK count_marked(void *context) {
  struct count *count = context;
  for (size_t i = 0; i < count->graph->object_count; i++)
    count->objects += is_marked(count->graph->objects[i]);
  GC_enumerate_reachable_objects_inner(add_bytes, &count->bytes);
  return NULL;
}

/* What is marked without the graph's roots is met by accident: see collector.h. */
static int count_strays(const struct graph *graph) {
  for (struct chunk *chunk = graph->chunk; chunk; chunk = chunk->next)
    GC_remove_roots(chunk->slot, chunk->slot + ROOTS_PER_CHUNK);
  td_collector_mark();
  struct count count = {.graph = graph};
  GC_call_with_alloc_lock(count_marked, &count);
  return say("strays %" PRIu64 "\n", count.objects) ? 4 : 0;
}

struct check {
  const struct graph *graph;
  const bool *reached;
  uint64_t missing, extra;
};

static void *GC_CALLBACK compare_marks(void *context) {
  struct check *check = context;
  for (size_t i = 0; i < check->graph->object_count; i++) {
    bool marked = is_marked(check->graph->objects[i]);
    check->missing += check->reached[i] && !marked;
    check->extra += marked && !check->reached[i];
  }
  return NULL;
}

/* Sets reached[i] for every object that the roots reach in the recording, by a plain depth-first
 * search. Returns false without memory. */
static bool search(const struct td_thg *graph, bool *reached) {
  uint32_t *stack = malloc(((size_t)graph->object_count + 1) * sizeof *stack);
  if (!stack) return false;
  size_t depth = 0;
  for (uint32_t i = 0; i < graph->root_count; i++) {
    if (reached[graph->roots[i]]) continue;
    reached[graph->roots[i]] = true;
    stack[depth++] = graph->roots[i];
  }
  while (depth > 0) {
    uint32_t object = stack[--depth];
    for (uint64_t r = graph->first_ref[object]; r < graph->first_ref[object + 1]; r++) {
      uint32_t target = graph->refs[r];
      if (target == TD_THG_NULL || reached[target]) continue;
      reached[target] = true;
      stack[depth++] = target;
    }
  }
  free(stack);
  return true;
}

static int compare_with_recording(const struct graph *graph, const struct td_thg *recording) {
  bool *reached = calloc((size_t)recording->object_count + 1, sizeof *reached);
  if (!reached || !search(recording, reached)) {
    free(reached);
    return fail(4, "not enough memory to check the marks of Boehm GC");
  }
  struct check check = {.graph = graph, .reached = reached};
  if (recording->object_count != graph->object_count) {
    free(reached);
    return fail(1, "the graph on Boehm GC has another number of objects than its recording");
  }
  GC_call_with_alloc_lock(compare_marks, &check);
  free(reached);
  return say("checked %" PRIu64 " %" PRIu64 "\n", check.missing, check.extra) ? 4 : 0;
}

static int check_marks(const struct graph *graph, const char *text) {
  struct td_graph_error error;
  struct td_graph_spec spec;
  if (!td_graph_spec_parse(text, &spec, &error)) return fail((int)error.status, error.text);
  struct td_thg recording = {0};
  bool recorded = td_graph_record(&spec, &recording, &error);
  td_graph_spec_free(&spec);
  int status =
      recorded ? compare_with_recording(graph, &recording) : fail((int)error.status, error.text);
  td_thg_free(&recording);
  return status;
}

/* ---- Life ------------------------------------------------------------------------------ */

static int start_collector(unsigned markers, uint64_t heap_max) {
  unsigned started = td_collector_start(markers, heap_max);
  if (started == markers) return 0;
  char text[96];
  snprintf(text, sizeof text, "Boehm GC starts %u marker(s) when asked for %u", started, markers);
  return fail(4, text);
}

static int build(const char *text, struct graph *graph) {
  struct td_graph_error error;
  struct td_graph_spec spec;
  if (!td_graph_spec_parse(text, &spec, &error)) return fail((int)error.status, error.text);
  const struct td_graph_sink sink = {.context = graph,
                                     .shape = sink_shape,
                                     .alloc = sink_alloc,
                                     .root = sink_root,
                                     .table_new = sink_table_new,
                                     .table_free = sink_table_free,
                                     .progress = sink_progress,
                                     .reason = sink_reason};
  GC_disable();
  bool built = td_graph_build(&spec, &sink, NULL, &error);
  GC_enable();
  td_graph_spec_free(&spec);
  return built ? 0 : fail((int)error.status, error.text);
}

static int say_count(const struct graph *graph) {
  struct count count = {.graph = graph};
  GC_call_with_alloc_lock(count_marked, &count);
  return say("count %" PRIu64 " %" PRIu64 "\n", count.objects, count.bytes) ? 4 : 0;
}

static int answer(const struct graph *graph, const char *text, const char *request) {
  if (strcmp(request, "mark\n") == 0)
    return say("marked %" PRIu64 "\n", td_collector_mark()) ? 4 : 0;
  if (strcmp(request, "count\n") == 0) return say_count(graph);
  if (strcmp(request, "check\n") == 0) return check_marks(graph, text);
  if (strcmp(request, "strays\n") == 0) return count_strays(graph);
  return fail(2, "tidemark-boehm: a request that it does not know");
}

int main(int argc, char **argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (argc != 6 || (pid_t)atoll(argv[5]) != getppid()) {
    fputs("tidemark-boehm: a part of tidemark, which starts it; see tidemark compare --help\n",
          stderr);
    return 2;
  }
  struct graph graph = {.typed = strcmp(argv[3], "typed") == 0,
                        .shapes = calloc(SHAPES_MAX, sizeof *graph.shapes)};
  if (!graph.shapes) return fail(4, "tidemark-boehm: not enough memory");
  int status = start_collector((unsigned)atoi(argv[2]), strtoull(argv[4], NULL, 10));
  if (status == 0) status = build(argv[1], &graph);
  if (status != 0) return status;
  if (say("ready %zu\n", GC_get_heap_size())) return 4;
  char request[32];
  while (status == 0 && fgets(request, sizeof request, stdin))
    status = answer(&graph, argv[1], request);
  return status;
}
