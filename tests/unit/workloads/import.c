/* SPDX-License-Identifier: MIT */
/* The import entry: told apart by content, all or nothing. */
#include <sys/stat.h>

#include "tests/unit/workloads/hprof_small.h"

static const char snapshot[] = "\n" SNAPSHOT;

static const char *output_of(const struct place *place) {
  static char output[300];
  snprintf(output, sizeof output, "%s/out.thg", place->folder);
  return output;
}

Test(import, by_content_not_by_name) {
  struct td_import_summary summary;
  struct td_thg_error error = {0};
  struct td_thg graph;
  SCOPED_DUMP d = small_dump(8, true);

  SCOPED_PLACE place = make_place("java.heapsnapshot");
  write_file(place.path, d.bytes.data, d.bytes.length);
  cr_assert(td_import_file(place.path, output_of(&place), NULL, &summary, &error), "%s",
            error.text);
  cr_assert_str_eq(summary.format, "hprof");
  cr_assert_gt(summary.output_bytes, 0);
  cr_assert(td_thg_read(output_of(&place), &graph, &error), "%s", error.text);
  cr_assert_eq(graph.object_count, SMALL_OBJECTS);
  cr_assert(strstr(graph.about, "hprof"));
  td_thg_free(&graph);
  cr_assert_eq(count_files(place.folder), 2);
  remove_folder(place.folder);

  place = make_place("v8.hprof");
  write_file(place.path, snapshot, strlen(snapshot));
  cr_assert(td_import_file(place.path, output_of(&place), NULL, &summary, &error), "%s",
            error.text);
  cr_assert_str_eq(summary.format, "heapsnapshot");
}

static void assert_nothing_written(const void *data, size_t length) {
  SCOPED_PLACE place = make_place("bad");
  struct td_thg_error error = {0};
  write_file(place.path, data, length);
  cr_assert_not(td_import_file(place.path, output_of(&place), NULL, NULL, &error));
  cr_assert_eq(error.kind, TD_THG_BAD_INPUT, "%s", error.text);
  cr_assert(strstr(error.text, place.path), "%s", error.text);
  cr_assert_eq(count_files(place.folder), 1);
}

Test(import, bad_input_writes_nothing) {
  SCOPED_DUMP d = small_dump(8, true);
  assert_nothing_written("", 0);
  assert_nothing_written("JAVA PROFILE 1.0.2\0\0\0\0\x08", 23);
  assert_nothing_written(d.bytes.data, d.bytes.length - 1);
  assert_nothing_written(d.bytes.data, d.bytes.length / 2);
  assert_nothing_written(snapshot, strlen(snapshot) - 1);
  assert_nothing_written("noise", 5);
  assert_nothing_written("\x1f\x8b\x08", 3);
  assert_nothing_written("\0\0\0\0", 4);
  assert_nothing_written("   \n", 4);
}

Test(import, files_that_are_none) {
  const char *const paths[] = {"/no/such/dump", "/tmp", "/dev/zero", NULL};
  struct td_thg graph;
  for (size_t p = 0; p < sizeof paths / sizeof *paths; p++) {
    struct td_thg_error error = {0};
    cr_assert_not(td_import_graph(paths[p], NULL, &graph, NULL, &error));
    cr_assert_eq(error.kind, TD_THG_BAD_INPUT);
    cr_assert(strstr(error.text, paths[p] ? paths[p] : ""), "%s", error.text);
  }
  cr_assert_not(td_import_graph("/no/such/dump", NULL, &graph, NULL, NULL));
  cr_assert_not(td_import_bytes(NULL, 0, "nothing", &graph, NULL, NULL));
}

Test(import, onto_itself) {
  SCOPED_PLACE place = make_place("dump");
  struct td_thg_error error = {0};
  SCOPED_GRAPH graph;
  write_file(place.path, snapshot, strlen(snapshot));
  cr_assert_not(td_import_file(place.path, place.path, NULL, NULL, &error));
  cr_assert(strstr(error.text, "overwritten"), "%s", error.text);
  cr_assert(td_import_graph(place.path, NULL, &graph, NULL, &error), "%s", error.text);
}

/* Nobody writes to it: opening it must not wait. */
Test(import, a_pipe) {
  SCOPED_PLACE place = make_place("pipe");
  struct td_thg_error error = {0};
  struct td_thg graph;
  cr_assert_eq(mkfifo(place.path, 0600), 0);
  cr_assert_not(td_import_graph(place.path, NULL, &graph, NULL, &error));
  cr_assert(strstr(error.text, "not a regular file"), "%s", error.text);
  cr_assert_not(td_thg_read(place.path, &graph, &error));
  cr_assert(strstr(error.text, "not a regular file"), "%s", error.text);
}

Test(import, an_output_that_cannot_be) {
  SCOPED_PLACE place = make_place("dump");
  struct td_thg_error error = {0};
  write_file(place.path, snapshot, strlen(snapshot));
  cr_assert_not(td_import_file(place.path, "/no/such/folder/out", NULL, NULL, &error));
  cr_assert_eq(error.kind, TD_THG_NO_RESOURCES);
  cr_assert_not(td_import_file(place.path, NULL, NULL, NULL, &error));
  cr_assert_neq(error.kind, TD_THG_OK);
}
