/* SPDX-License-Identifier: MIT */
/* The builder and its sinks: what it asks of a sink, what it does when a sink refuses. */
#include <string.h>

#include "tests/unit/workloads/dump.h"
#include "tests/unit/workloads/recorded.h"

/* A collector of plain memory that never collects, and that can fail its n-th call. */
struct plain {
  struct td_thg_shape shape[8];
  uint64_t bitmap[8];
  uint32_t shapes;
  void **object;
  uint64_t *bytes;
  uint32_t *shape_of;
  uint64_t objects, capacity;
  void *root[4096];
  uint32_t roots;
  uint64_t calls, fail_at; /* 0: never */
  int tables;
  uint64_t progress, total;
};

static bool refuses(struct plain *plain) {
  return ++plain->calls == plain->fail_at;
}

static uint32_t plain_shape(void *context, const struct td_thg_shape *shape) {
  struct plain *plain = context;
  if (refuses(plain)) return TD_GRAPH_SHAPE_NONE;
  cr_assert_lt(plain->shapes, 8);
  plain->shape[plain->shapes] = *shape;
  if (shape->kind == TD_THG_BITMAP) {
    cr_assert_eq(shape->bitmap_words, 1);
    plain->bitmap[plain->shapes] = shape->bitmap[0];
    plain->shape[plain->shapes].bitmap = &plain->bitmap[plain->shapes];
  }
  return plain->shapes++;
}

static void *plain_alloc(void *context, uint32_t shape, size_t bytes) {
  struct plain *plain = context;
  if (refuses(plain)) return NULL;
  if (plain->objects == plain->capacity) {
    plain->capacity = plain->capacity * 2 + 16;
    plain->object = realloc(plain->object, plain->capacity * sizeof *plain->object);
    plain->bytes = realloc(plain->bytes, plain->capacity * sizeof *plain->bytes);
    plain->shape_of = realloc(plain->shape_of, plain->capacity * sizeof *plain->shape_of);
  }
  plain->bytes[plain->objects] = bytes;
  plain->shape_of[plain->objects] = shape;
  return plain->object[plain->objects++] = calloc(1, bytes);
}

static bool plain_root(void *context, void *object) {
  struct plain *plain = context;
  if (refuses(plain)) return false;
  cr_assert_lt(plain->roots, 4096);
  plain->root[plain->roots++] = object;
  return true;
}

static void **plain_table_new(void *context, size_t count) {
  struct plain *plain = context;
  if (refuses(plain)) return NULL;
  plain->tables++;
  return calloc(count, sizeof(void *));
}

static void plain_table_free(void *context, void **table, size_t count) {
  struct plain *plain = context;
  cr_expect_gt(count, 0);
  plain->tables--;
  free(table);
}

static void plain_progress(void *context, uint64_t done, uint64_t total) {
  struct plain *plain = context;
  cr_expect_leq(done, total);
  cr_expect_geq(done, plain->progress);
  plain->progress = done;
  plain->total = total;
}

static const char *plain_reason(void *context) {
  (void)context;
  return "because the test says so";
}

static struct td_graph_sink plain_sink(struct plain *plain) {
  return (struct td_graph_sink){.context = plain,
                                .shape = plain_shape,
                                .alloc = plain_alloc,
                                .root = plain_root,
                                .table_new = plain_table_new,
                                .table_free = plain_table_free,
                                .progress = plain_progress,
                                .reason = plain_reason};
}

static void plain_clear(struct plain *plain) {
  cr_expect_eq(plain->tables, 0);
  for (uint64_t i = 0; i < plain->objects; i++)
    free(plain->object[i]);
  free(plain->object);
  free(plain->bytes);
  free(plain->shape_of);
}

/* ---- Plain memory ---------------------------------------------------------------------- */

static bool is_reference_slot(const struct td_thg_shape *shape, uint64_t word) {
  if (shape->kind == TD_THG_BITMAP) return word < 64 && (shape->bitmap[0] >> word & 1) != 0;
  return shape->kind == TD_THG_PREFIX && word >= shape->prefix_words;
}

/* Words are as the shape says: objects' addresses or NULL in slots, small numbers elsewhere; and
 * the objects' references are those of the recorded graph. */
static void expect_memory(const char *text, const struct plain *plain) {
  SCOPED_GRAPH graph = record(text);
  cr_assert_eq(plain->objects, graph.object_count);
  for (uint64_t i = 0; i < plain->objects; i++) {
    cr_assert_eq(plain->bytes[i], graph.size[i]);
    uint64_t slot = 0;
    for (uint64_t word = 0; word < plain->bytes[i] / 8; word++) {
      uint64_t value = ((const uint64_t *)plain->object[i])[word];
      if (!is_reference_slot(&plain->shape[plain->shape_of[i]], word)) {
        cr_assert_lt(value, 65536, "%s: word %llu", text, (unsigned long long)word);
        continue;
      }
      uint32_t target = ref(&graph, i, slot++);
      cr_assert_eq(value, target == TD_THG_NULL ? 0 : (uintptr_t)plain->object[target]);
    }
    cr_assert_eq(slot, slot_count(&graph, i));
  }
  cr_assert_eq(plain->roots, graph.root_count);
  for (uint32_t r = 0; r < plain->roots; r++)
    cr_expect_eq(plain->root[r], plain->object[graph.roots[r]]);
}

Test(builder, plain_memory_holds_the_graph) {
  for (size_t i = 0; i < EVERY_GRAPH; i++) {
    SCOPED_SPEC spec = parse_spec(every_graph[i]);
    struct plain plain = {0};
    struct td_graph_sink sink = plain_sink(&plain);
    struct td_graph_built built;
    struct td_graph_error error;
    cr_assert(td_graph_build(&spec, &sink, &built, &error));
    cr_expect_eq(built.objects, plain.objects);
    cr_expect_eq(built.roots, plain.roots);
    cr_expect_eq(plain.progress, plain.total);
    cr_expect_eq(plain.total, 2 * plain.objects);
    expect_memory(every_graph[i], &plain);
    plain_clear(&plain);
  }
}

/* ---- Refusals -------------------------------------------------------------------------- */

/* Fails every single call of the sink in turn, until the building needs no more calls. */
Test(builder, any_call_may_fail, .timeout = 60) {
  for (size_t i = 0; i < EVERY_GRAPH; i++) {
    SCOPED_SPEC spec = parse_spec(every_graph[i]);
    bool built = false;
    for (uint64_t at = 1; !built; at++) {
      struct plain plain = {.fail_at = at};
      struct td_graph_sink sink = plain_sink(&plain);
      struct td_graph_error error = {0};
      built = td_graph_build(&spec, &sink, NULL, &error);
      cr_assert_eq(built, plain.calls < at, "%s: call %llu", every_graph[i],
                   (unsigned long long)at);
      if (!built) {
        cr_expect_eq(error.status, TD_GRAPH_NO_RESOURCES);
        cr_expect_not_null(strstr(error.text, every_graph[i]), "%s", error.text);
        cr_expect_not_null(strstr(error.text, "because the test says so"));
      }
      plain_clear(&plain);
    }
  }
}

Test(builder, more_than_the_machine_has) {
  SCOPED_SPEC spec = parse_spec("random:objects=4G,degree=1K");
  struct plain plain = {0};
  struct td_graph_sink sink = plain_sink(&plain);
  struct td_graph_error error = {0};
  struct td_thg graph;
  cr_expect_not(td_graph_build(&spec, &sink, NULL, &error));
  cr_expect_eq(error.status, TD_GRAPH_NO_RESOURCES);
  cr_expect_not_null(strstr(error.text, "GB"));
  cr_expect_eq(plain.calls, 0);
  cr_expect_not(td_graph_record(&spec, &graph, &error));
  cr_expect_eq(error.status, TD_GRAPH_NO_RESOURCES);
  cr_expect_null(graph.refs);
}

Test(builder, refusal_needs_neither_reason_nor_error) {
  SCOPED_SPEC spec = parse_spec("list:length=9");
  struct plain plain = {.fail_at = 5};
  struct td_graph_sink sink = plain_sink(&plain);
  sink.reason = NULL;
  sink.progress = NULL;
  cr_expect_not(td_graph_build(&spec, &sink, NULL, NULL));
  plain_clear(&plain);
}

/* ---- Recorded graphs ------------------------------------------------------------------- */

/* A recorded graph, built on the recorder, is recorded as itself. */
static void expect_copied(const struct td_thg *graph) {
  struct td_graph_recorder *recorder = td_graph_recorder_new();
  struct td_graph_sink sink;
  td_graph_recorder_sink(recorder, &sink);
  struct td_graph_built built;
  struct td_graph_error error;
  cr_assert(td_graph_build_thg(graph, "a copy", &sink, &built, &error));
  SCOPED_GRAPH copy;
  td_graph_recorder_take(recorder, &copy);
  assert_same_graph(graph, &copy);
  cr_expect_eq(built.objects, graph->object_count);
  td_graph_recorder_free(recorder);
}

Test(builder, recorded_graphs_build_as_themselves) {
  for (size_t i = 0; i < EVERY_GRAPH; i++) {
    SCOPED_GRAPH graph = record(every_graph[i]);
    expect_copied(&graph);
  }
}

Test(builder, bitmaps_of_many_words) {
  uint64_t bitmap[3] = {UINT64_C(1) << 63, 0, UINT64_C(0x8000000000000005)};
  struct td_thg_shape shape = {.kind = TD_THG_BITMAP, .bitmap_words = 3, .bitmap = bitmap};
  uint32_t shape_of[2] = {0, 0}, refs[8] = {1, TD_THG_NULL, 0, 1, 0, 0, TD_THG_NULL, TD_THG_NULL};
  uint64_t size[2] = {192 * 8, 200 * 8}, first_ref[3] = {0, 4, 8};
  uint32_t roots[3] = {1, 0, 1};
  struct td_thg graph = {.shapes = &shape,
                         .shape_of = shape_of,
                         .size = size,
                         .first_ref = first_ref,
                         .refs = refs,
                         .roots = roots,
                         .shape_count = 1,
                         .object_count = 2,
                         .root_count = 3,
                         .ref_count = 8};
  struct td_thg_error fault = {0};
  cr_assert(td_thg_check(&graph, &fault), "%s", fault.text);
  expect_copied(&graph);
}

Test(builder, an_empty_recorded_graph) {
  struct td_thg graph = {0};
  expect_copied(&graph);
}

Test(builder, a_missing_file_is_bad_input) {
  SCOPED_SPEC spec = parse_spec("file:does-not-exist.thg");
  struct td_graph_error error = {0};
  struct td_thg graph;
  cr_expect_not(td_graph_record(&spec, &graph, &error));
  cr_expect_eq(error.status, TD_GRAPH_BAD_FILE);
  cr_expect_not_null(strstr(error.text, "does-not-exist.thg"));
  struct plain plain = {0};
  struct td_graph_sink sink = plain_sink(&plain);
  cr_expect_not(td_graph_build(&spec, &sink, NULL, &error));
  cr_expect_eq(error.status, TD_GRAPH_BAD_FILE);
  cr_expect_eq(plain.calls, 0);
  plain_clear(&plain);
}
