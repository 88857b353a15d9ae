/* SPDX-License-Identifier: MIT */
/* The graph file that the library writes of a live heap: what the program's reader finds in it is
 * what the heap holds, and what comes out of the other snapshot by way of the importer. */
#include <errno.h>
#include <sys/resource.h>

#include "tests/unit/gc/common.h"
#include "tests/unit/workloads/dump.h"
#include "workloads/import.h"

enum { OBJECTS = 2000, LONG_WORDS = 130, TRACED_MOST = 200 };

/* A structure whose references stand elsewhere, so that only its trace function finds them. */
struct outside {
  uint64_t count;
  void **at; /* malloc */
};

TRACE(trace_outside) {
  struct outside *outside = object;
  tide_trace_range(tracer, outside->at, outside->count);
}

struct heap {
  struct world w;
  tide_layout pair, longer, vector, far_prefix, traced;
  void **all; /* a root range */
  void **outside[OBJECTS];
  uint32_t random;
  char folder[200], thg[300], json[300];
};

static struct heap h;

static uint32_t pick(uint32_t below) {
  return random_next(&h.random) % below;
}

static void begin(void) {
  h.w = world_new();
  h.random = 2463534242u;
  h.all = calloc(OBJECTS, sizeof *h.all);
  cr_assert_eq(tide_root_add_range(h.w.heap, h.all, OBJECTS), TIDE_OK);
  uint64_t bits[LONG_WORDS / 64 + 1] = {UINT64_C(1) << 3, 0, 3};
  h.longer = tide_layout_bitmap(h.w.heap, bits, LONG_WORDS, NULL);
  h.vector = tide_layout_prefixed(h.w.heap, 2, NULL);
  h.far_prefix = tide_layout_prefixed(h.w.heap, 1000, NULL);
  h.traced = tide_layout_traced(h.w.heap, trace_outside, NULL, NULL);
  cr_assert(h.longer && h.vector && h.far_prefix && h.traced);
  make_folder(h.folder, sizeof h.folder);
  snprintf(h.thg, sizeof h.thg, "%s/heap.thg", h.folder);
  snprintf(h.json, sizeof h.json, "%s/heap.heapsnapshot", h.folder);
}

static void end(void) {
  tide_root_remove_range(h.w.heap, h.all);
  world_end(&h.w);
  for (int i = 0; i < OBJECTS; i++)
    free(h.outside[i]);
  free(h.all);
  remove_folder(h.folder);
}

TestSuite(heap_thg, .init = begin, .fini = end);

/* Null now and then, and a word that is no reference. */
static void *some(uint32_t made) {
  uint32_t kind = pick(8);
  if (kind == 0 || made == 0) return NULL;
  return kind == 1 ? (void *)((uintptr_t)h.all[pick(made)] | 5) : h.all[pick(made)];
}

static void *filled(tide_layout layout, size_t bytes, size_t from, uint32_t made) {
  void **object = tide_alloc(h.w.m, layout, bytes);
  cr_assert_not_null(object);
  for (size_t i = from; i < bytes / sizeof *object; i++)
    object[i] = some(made);
  return object;
}

static void *traced(uint32_t number, uint64_t count) {
  struct outside *object = tide_alloc(h.w.m, h.traced, 16 + 32 * pick(3));
  cr_assert_not_null(object);
  h.outside[number] = calloc(count + 1, sizeof(void *));
  for (uint64_t i = 0; i < count; i++)
    h.outside[number][i] = some(number);
  object->at = h.outside[number];
  object->count = count;
  return object;
}

/* Of every kind, in turn. */
static void *make(uint32_t number) {
  switch (number % 12) {
  case 0:
    return tide_alloc(h.w.m, TIDE_LAYOUT_LEAF, 1 + pick(300));
  case 1:
    return filled(TIDE_LAYOUT_REFS, 8 + 8 * pick(40), 0, number);
  case 2:
    return pair_new(&h.w, h.all[pick(number)], some(number), number);
  case 3:
    return filled(h.longer, LONG_WORDS * 8, 0, number);
  case 4:
    return filled(h.vector, 24 + 8 * pick(20), 0, number);
  case 5:
    return filled(h.far_prefix, 64, 0, number); /* no slot in it */
  case 6: {
    uintptr_t *words = tide_alloc(h.w.m, TIDE_LAYOUT_CONSERVATIVE, 64);
    words[2] = (uintptr_t)h.all[pick(number)] + 3; /* into it */
    words[5] = 7;
    return words;
  }
  case 7:
    return traced(number, pick(4)); /* none, or some */
  case 8:
    return traced(number, 60 + pick(TRACED_MOST)); /* more than it has words */
  case 9:
    return tide_weak_new(h.w.m, h.all[pick(number)], TIDE_WEAK_BEFORE);
  case 10:
    return tide_ephemeron_new(h.w.m, h.all[pick(number)], h.all[pick(number)]);
  default:
    return number % 600 == 11 ? filled(TIDE_LAYOUT_REFS, 200000, 0, number)
                              : filled(TIDE_LAYOUT_REFS, 16, 0, number);
  }
}

static void populate(void) {
  for (uint32_t i = 0; i < OBJECTS; i++) {
    h.all[i] = make(i);
    cr_assert_not_null(h.all[i]);
  }
}

struct addresses {
  size_t count, bytes[OBJECTS];
  void *at[OBJECTS];
  tide_layout layout[OBJECTS];
};

static bool note(void *object, size_t bytes, tide_layout layout, void *context) {
  struct addresses *a = context;
  cr_assert_lt(a->count, (size_t)OBJECTS);
  a->at[a->count] = object;
  a->bytes[a->count] = bytes;
  a->layout[a->count++] = layout;
  return true;
}

static struct td_thg read_thg(void) {
  struct td_thg graph;
  struct td_thg_error error = {0};
  cr_assert(td_thg_read(h.thg, &graph, &error), "%s", error.text);
  cr_assert(td_thg_check(&graph, &error), "%s", error.text);
  return graph;
}

static struct td_thg snapshot(void) {
  struct tide_error error;
  cr_assert_eq(tide_heap_snapshot_thg(h.w.m, h.thg, &error), TIDE_OK, "%s", error.text);
  return read_thg();
}

static struct td_thg by_way_of_json(void) {
  struct tide_error error;
  struct td_thg_error reason = {0};
  struct td_thg graph;
  cr_assert_eq(tide_heap_snapshot(h.w.m, h.json, &error), TIDE_OK, "%s", error.text);
  cr_assert(td_import_graph(h.json, NULL, &graph, NULL, &reason), "%s", reason.text);
  return graph;
}

/* The object's targets without nulls, into list; how many. */
static size_t targets(const struct td_thg *graph, uint32_t object, uint32_t *list) {
  size_t count = 0;
  for (uint64_t r = graph->first_ref[object]; r < graph->first_ref[object + 1]; r++)
    if (graph->refs[r] != TD_THG_NULL) list[count++] = graph->refs[r];
  return count;
}

Test(heap_thg, is_the_heap) {
  populate();
  SCOPED_GRAPH graph = snapshot();
  struct tide_check check;
  cr_assert_eq(tide_check_marks(h.w.m, &check), TIDE_OK);
  cr_assert_eq(graph.object_count, OBJECTS);
  cr_assert_eq(graph.object_count, tide_count_marked(h.w.m));
  cr_assert_eq(graph.object_count, check.objects);
  cr_assert_eq(graph.root_count, OBJECTS);
  uint64_t edges = 0;
  for (uint64_t r = 0; r < graph.ref_count; r++)
    edges += graph.refs[r] != TD_THG_NULL;
  cr_assert_eq(edges, check.edges);
  static struct addresses a;
  cr_assert_eq(tide_heap_walk(h.w.m, note, &a), TIDE_OK);
  cr_assert_eq(a.count, OBJECTS);
  for (uint32_t i = 0; i < OBJECTS; i++) {
    if (a.layout[i] != h.traced) cr_assert_eq(graph.size[i], a.bytes[i]);
    if (a.layout[i] != TIDE_LAYOUT_REFS) continue;
    cr_assert_eq(graph.first_ref[i + 1] - graph.first_ref[i], a.bytes[i] / 8, "nulls are kept");
    for (uint64_t r = graph.first_ref[i]; r < graph.first_ref[i + 1]; r++) {
      void *word = ((void **)a.at[i])[r - graph.first_ref[i]];
      bool refers = graph.refs[r] != TD_THG_NULL;
      if (refers) cr_assert_eq(word, a.at[graph.refs[r]]);
      cr_assert_eq(refers, word && (uintptr_t)word % 16 == 0);
    }
  }
}

Test(heap_thg, is_what_the_importer_makes_of_the_other) {
  static uint32_t direct[60000], imported[60000];
  populate();
  SCOPED_GRAPH graph = snapshot(), other = by_way_of_json();
  /* The other file has a node for the roots in front. */
  cr_assert_eq(other.object_count, graph.object_count + 1);
  cr_assert_eq(targets(&other, 0, imported), graph.root_count);
  for (uint32_t r = 0; r < graph.root_count; r++)
    cr_assert_eq(imported[r], graph.roots[r] + 1);
  for (uint32_t i = 0; i < graph.object_count; i++) {
    size_t count = targets(&graph, i, direct);
    cr_assert_eq(targets(&other, i + 1, imported), count, "object %u", i);
    for (size_t k = 0; k < count; k++)
      cr_assert_eq(imported[k], direct[k] + 1, "object %u", i);
  }
}

Test(heap_thg, is_compressed_by_importing_it) {
  populate();
  SCOPED_GRAPH graph = snapshot(), again;
  char packed[320];
  struct td_import_summary summary;
  struct td_thg_error error = {0};
  snprintf(packed, sizeof packed, "%s.packed", h.thg);
  cr_assert(td_import_file(h.thg, packed, NULL, &summary, &error), "%s", error.text);
  cr_assert_str_eq(summary.format, "thg");
  cr_assert_lt(summary.output_bytes, summary.input_bytes);
  cr_assert(td_thg_read(packed, &again, &error), "%s", error.text);
  cr_assert_str_eq(again.about, graph.about);
  assert_same_graph(&again, &graph);
}

Test(heap_thg, an_empty_heap) {
  SCOPED_GRAPH graph = snapshot();
  cr_assert_eq(graph.object_count, 0);
  cr_assert_eq(graph.root_count, 0);
  cr_assert_eq(graph.ref_count, 0);
  cr_assert_not_null(strstr(graph.about, tide_version()));
}

/* Several blocks of every stream, some of one value throughout. */
Test(heap_thg, many_objects) {
  enum { LENGTH = 200000 };
  void **head = tide_handle(h.w.m, NULL);
  for (uint64_t i = 0; i < LENGTH; i++)
    *head = pair_new(&h.w, *head, NULL, i);
  SCOPED_GRAPH graph = snapshot();
  cr_assert_eq(graph.object_count, LENGTH);
  cr_assert_eq(graph.shape_count, 1);
  cr_assert_eq(graph.root_count, 1);
  uint32_t at = graph.roots[0], length = 0;
  for (; at != TD_THG_NULL; at = graph.refs[graph.first_ref[at]], length++)
    cr_assert_eq(graph.refs[graph.first_ref[at] + 1], TD_THG_NULL);
  cr_assert_eq(length, LENGTH);
}

static void fails(const char *path, enum tide_status status, const char *why) {
  struct tide_error error;
  cr_assert_eq(tide_heap_snapshot_thg(h.w.m, path, &error), status, "%s", error.text);
  cr_assert_eq(error.status, status);
  cr_assert_not_null(strstr(error.text, "tide_heap_snapshot_thg"), "%s", error.text);
  cr_assert_not_null(strstr(error.text, why), "%s", error.text);
  cr_assert_eq(count_files(h.folder), 0, "something was left behind");
}

Test(heap_thg, places_that_are_none) {
  fails("", TIDE_ERROR_ARGUMENT, "path");
  struct tide_error error;
  cr_assert_eq(tide_heap_snapshot_thg(h.w.m, NULL, &error), TIDE_ERROR_ARGUMENT);
}

Test(heap_thg, moments_that_are_wrong, .signal = TOLD) {
  tide_blocking_enter(h.w.m);
  fails(h.thg, TIDE_ERROR_STATE, "not possible here");
  tide_blocking_leave(h.w.m);
  struct tide_error error;
  cr_assert_eq(tide_heap_snapshot_thg(NULL, h.thg, &error), TIDE_ERROR_ARGUMENT);
}

/* As on a full disk: at every size that the file has on the way, and what was there stays. */
Test(heap_thg, a_disk_that_fills_up) {
  populate();
  signal(SIGXFSZ, SIG_IGN);
  for (rlim_t bytes = 0; bytes < 20000; bytes = bytes * 3 + 1) {
    struct rlimit limit = {bytes, RLIM_INFINITY};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    fails(h.thg, TIDE_ERROR_SYSTEM, strerror(EFBIG));
  }
  struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
  cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
  struct td_thg graph = snapshot();
  cr_assert_eq(graph.object_count, OBJECTS);
  td_thg_free(&graph);
  limit.rlim_cur = 100;
  cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
  cr_assert_eq(tide_heap_snapshot_thg(h.w.m, h.thg, NULL), TIDE_ERROR_SYSTEM);
  cr_assert_eq(tide_heap_snapshot(h.w.m, h.json, NULL), TIDE_ERROR_SYSTEM);
  graph = read_thg();
  td_thg_free(&graph);
  cr_assert_eq(count_files(h.folder), 1);
}
