/* SPDX-License-Identifier: MIT */
/* The import entry: told apart by content, all or nothing. */
#include <sys/stat.h>

#include "tests/unit/workloads/hprof_small.h"

static const char snapshot[] = "\n" SNAPSHOT;

/* Returns what the input is taken for. The graph is read again. */
static const char *format_of(const char *name, const void *data, size_t length,
                             struct td_thg *graph) {
  char output[300];
  SCOPED_PLACE place = make_place(name);
  struct td_import_summary summary;
  struct td_thg_error error = {0};
  write_file(place.path, data, length);
  snprintf(output, sizeof output, "%s/out.thg", place.folder);
  cr_assert(td_import_file(place.path, output, NULL, &summary, &error), "%s", error.text);
  cr_assert_gt(summary.output_bytes, 0);
  cr_assert(td_thg_read(output, graph, &error), "%s", error.text);
  cr_assert_eq(count_files(place.folder), 2);
  return summary.format;
}

Test(import, by_content_not_by_name) {
  SCOPED_DUMP d = small_dump(8, true);
  SCOPED_GRAPH java, v8;
  cr_assert_str_eq(format_of("java.heapsnapshot", d.bytes.data, d.bytes.length, &java), "hprof");
  cr_assert_eq(java.object_count, SMALL_OBJECTS);
  cr_assert(strstr(java.about, "hprof"));
  cr_assert_str_eq(format_of("v8.hprof", snapshot, strlen(snapshot), &v8), "heapsnapshot");
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
  SCOPED_PLACE place = make_place("dump");
  write_file(place.path, snapshot, strlen(snapshot));
  cr_assert_not(td_import_file(place.path, NULL, NULL, NULL, NULL));
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
