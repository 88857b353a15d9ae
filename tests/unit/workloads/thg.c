/* SPDX-License-Identifier: MIT */
/* The graph file: what is written is what is read, and writing is all or nothing. */
#include <sys/stat.h>

#include "tests/unit/workloads/thg_sample.h"
#include "workloads/thg_zstd.h"
#include "inspect/thg/writer.h"

static void assert_round_trip(const struct td_thg *graph) {
  SCOPED_BYTES bytes = file_bytes(graph);
  SCOPED_GRAPH again;
  struct td_thg_error error = {0};
  cr_assert(td_thg_check(graph, &error), "%s", error.text);
  cr_assert(td_thg_read_bytes(bytes.data, bytes.length, "sample", &again, &error), "%s",
            error.text);
  cr_assert(td_thg_check(&again, &error), "%s", error.text);
  assert_same_graph(graph, &again);
  if (graph->about)
    cr_assert_str_eq(again.about, graph->about);
  else
    cr_assert_null(again.about);
}

Test(thg, round_trip) {
  SCOPED_GRAPH graph = sample_graph();
  assert_round_trip(&graph);
  free(graph.about);
  graph.about = NULL;
  assert_round_trip(&graph);
}

Test(thg, an_empty_graph) {
  struct td_thg graph = {0};
  graph.first_ref = calloc(1, sizeof *graph.first_ref);
  assert_round_trip(&graph);
  td_thg_free(&graph);
  assert_round_trip(&graph); /* without any array at all */
}

/* Objects of one shape, all zero. */
static struct td_thg uniform_graph(uint32_t objects, uint64_t refs) {
  struct td_thg graph = {.object_count = objects, .shape_count = 1, .ref_count = refs};
  graph.shapes = calloc(1, sizeof *graph.shapes);
  graph.shape_of = calloc(objects, sizeof *graph.shape_of);
  graph.size = calloc(objects, sizeof *graph.size);
  graph.first_ref = calloc(objects + 1, sizeof *graph.first_ref);
  graph.refs = calloc(refs, sizeof *graph.refs);
  return graph;
}

/* Long enough for several blocks and buffers, with numbers of every length. */
Test(thg, a_large_graph) {
  enum { OBJECTS = 100000, SLOTS = 3 };
  SCOPED_GRAPH graph = uniform_graph(OBJECTS, OBJECTS * SLOTS);
  graph.shapes[0].kind = TD_THG_PREFIX;
  uint32_t random = 2463534242u;
  for (uint32_t i = 0; i < OBJECTS; i++) {
    graph.size[i] = SLOTS * 8;
    graph.first_ref[i + 1] = (i + 1) * (uint64_t)SLOTS;
    for (uint32_t s = 0; s < SLOTS; s++)
      graph.refs[i * SLOTS + s] = random_next(&random) % 7 ? random % OBJECTS : i;
  }
  assert_round_trip(&graph);
}

Test(thg, the_largest_size) {
  SCOPED_GRAPH graph = uniform_graph(1, 0);
  graph.size[0] = TD_THG_SIZE_MAX;
  assert_round_trip(&graph);
}

Test(thg, shipped_graphs) {
  static const struct {
    const char *name;
    uint32_t objects_min;
    uint64_t bytes_max;
  } shipped[] = {{"javac.thg", 1000000, 10000000},
                 {"service.thg", 1000000, 2000000},
                 {"ast.thg", 300000, 4000000}};
  for (size_t s = 0; s < sizeof shipped / sizeof *shipped; s++) {
    char path[1024];
    SCOPED_GRAPH graph;
    struct td_thg_error error = {0};
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", TD_GRAPHS_FOLDER, shipped[s].name);
    cr_assert(td_thg_read(path, &graph, &error), "%s", error.text);
    cr_assert(td_thg_check(&graph, &error), "%s", error.text);
    cr_assert_geq(graph.object_count, shipped[s].objects_min);
    cr_assert_gt(graph.ref_count, graph.object_count);
    cr_assert_gt(graph.root_count, 0);
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_leq((uint64_t)status.st_size, shipped[s].bytes_max);
  }
}

Test(thg, check_finds_what_is_wrong) {
  SCOPED_GRAPH graph = sample_graph();
  struct td_thg_error error = {0};
  cr_assert(td_thg_check(&graph, &error));
#define ASSERT_NOTICED(field, value)                                                               \
  do {                                                                                             \
    __typeof__(field) kept_ = (field);                                                             \
    (field) = (value);                                                                             \
    cr_assert_not(td_thg_check(&graph, &error), #field);                                           \
    (field) = kept_;                                                                               \
  } while (0)
  ASSERT_NOTICED(graph.shape_of[7], SAMPLE_SHAPES);
  ASSERT_NOTICED(graph.size[1], 39);
  ASSERT_NOTICED(graph.size[4], 16);
  ASSERT_NOTICED(graph.size[0], 0);
  ASSERT_NOTICED(graph.size[0], TD_THG_SIZE_MAX + 1);
  ASSERT_NOTICED(graph.size[3], 8);
  ASSERT_NOTICED(graph.refs[0], SAMPLE_OBJECTS);
  ASSERT_NOTICED(graph.roots[3], SAMPLE_OBJECTS);
  ASSERT_NOTICED(graph.ref_count, graph.ref_count - 1);
  ASSERT_NOTICED(graph.first_ref[5], graph.first_ref[5] + 1);
  ASSERT_NOTICED(graph.shapes[1].bitmap[0], 0);
  ASSERT_NOTICED(graph.shapes[0].bitmap_words, 1);
  ASSERT_NOTICED(graph.shapes[3].kind, (enum td_thg_shape_kind)9);
  cr_assert(td_thg_check(&graph, &error));
}

/* ---- Writing that fails leaves what was there ---------------------------------------------- */

static void assert_not_written(const char *path, const char *wanted) {
  SCOPED_GRAPH graph = sample_graph();
  struct td_thg_error error = {0};
  cr_assert_not(td_thg_write(path, &graph, NULL, &error));
  cr_assert_eq(error.kind, TD_THG_NO_RESOURCES);
  cr_assert(strstr(error.text, wanted), "%s", error.text);
}

Test(thg, a_folder_that_is_not_there_or_in_the_way) {
  SCOPED_PLACE place = make_place("");
  assert_not_written("/no/such/folder/x.thg", "/no/such/folder/x.thg");
  assert_not_written(place.folder, place.folder);
  cr_assert_eq(count_files(place.folder), 0);
}

/* Renaming over a device would do harm where we may. */
Test(thg, a_device_in_the_way) {
  struct stat status;
  assert_not_written("/dev/null", "/dev/null");
  cr_assert_eq(stat("/dev/null", &status), 0);
  cr_assert(S_ISCHR(status.st_mode));
}

Test(thg, files_that_cannot_be_read) {
  const char *const paths[] = {"/no/such/file.thg", "/tmp", "/dev/null", NULL};
  struct td_thg graph;
  for (size_t p = 0; p < sizeof paths / sizeof *paths; p++) {
    struct td_thg_error error = {0};
    cr_assert_not(td_thg_read(paths[p], &graph, &error));
    cr_assert_eq(error.kind, TD_THG_BAD_INPUT);
    cr_assert(strstr(error.text, paths[p] ? paths[p] : ""), "%s", error.text);
  }
  cr_assert_not(td_thg_read("/no/such/file.thg", &graph, NULL));
}

struct heard {
  uint64_t reports, done, total;
};

static void hear(void *context, const char *phase, uint64_t done, uint64_t total) {
  struct heard *heard = context;
  cr_assert(phase && *phase);
  cr_assert_leq(done, total);
  cr_assert_geq(done, heard->done);
  *heard = (struct heard){.reports = heard->reports + 1, .done = done, .total = total};
}

Test(thg, progress_reaches_its_end) {
  SCOPED_PLACE place = make_place("graph.thg");
  SCOPED_GRAPH graph = sample_graph();
  struct td_thg_error error = {0};
  struct heard heard = {0};
  const struct td_thg_progress progress = {.report = hear, .context = &heard};
  cr_assert(td_thg_write(place.path, &graph, &progress, &error), "%s", error.text);
  cr_assert_gt(heard.reports, 1);
  cr_assert_eq(heard.done, heard.total);
}

/* A file must be long enough that readers grant it the memory of its graph. */
static void assert_padded(uint64_t objects) {
  struct td_thg_zstd zstd;
  struct td_thg_writer writer;
  FILE *file = tmpfile();
  cr_assert(file);
  cr_assert(td_thg_zstd_new(&zstd, NULL, 1));
  struct td_thg_sink sink = td_thg_zstd_sink(&zstd);
  td_thg_writer_begin(&writer, file, &sink);
  for (unsigned s = 1; s <= TD_THG_STREAM_COUNT; s++) {
    td_thg_writer_open(&writer, (enum td_thg_stream)s);
    td_thg_put(&writer, 0);
    td_thg_writer_close(&writer);
  }
  writer.header.object_count = objects;
  td_thg_writer_end(&writer);
  cr_assert_eq(writer.failure, TD_THG_WRITER_FINE);
  uint64_t needed = td_thg_memory_bytes(&writer.header, 1);
  uint64_t length = writer.header.file_bytes;
  cr_assert_leq(needed, td_thg_allowance(length, TD_THG_ALLOWANCE_BASE));
  cr_assert(length < 1000 || needed + 1000 > td_thg_allowance(length, TD_THG_ALLOWANCE_BASE));
  cr_assert_eq(fseek(file, 0, SEEK_END), 0);
  cr_assert_eq(ftell(file), (long)length);
  td_thg_writer_free(&writer);
  td_thg_zstd_free(&zstd);
  fclose(file);
}

Test(thg, padding) {
  assert_padded(1);
  assert_padded(13000000);
  assert_padded(14000000);
  assert_padded(1000000000);
}
