/* Importers and the graph file when memory runs out: refuse the n-th allocation, for every n.
 * Under the address sanitizer this also finds what an error leaves unfreed. */
#include "tests/unit/workloads/hprof_small.h"
#include "tests/unit/workloads/thg_sample.h"

/* Allocations until one is refused; negative: none is. */
static long countdown = -1;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
char *__wrap_strdup(const char *text);

static bool is_refusal(void) {
  return countdown >= 0 && countdown-- == 0;
}

void *__wrap_malloc(size_t bytes) {
  return is_refusal() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes) {
  return is_refusal() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes) {
  return is_refusal() ? NULL : __real_realloc(old, bytes);
}

char *__wrap_strdup(const char *text) {
  return is_refusal() ? NULL : __real_strdup(text);
}

/* Do it with the n-th allocation refused, for n from 0 until it needs no n-th. It must fail for
 * want of memory, or do without what it was refused. */
static void refuse_each(bool (*act)(const void *input, struct td_thg_error *error),
                        const void *input) {
  long refused = 0;
  for (;; refused++) {
    struct td_thg_error error = {0};
    countdown = refused;
    bool done = act(input, &error);
    bool was_reached = countdown < 0;
    countdown = -1;
    cr_assert(done || error.kind == TD_THG_NO_RESOURCES, "%s", error.text);
    if (!was_reached) {
      cr_assert(done);
      break;
    }
  }
  cr_assert_gt(refused, 3, "%ld allocations in all", refused);
}

static bool import_one(const void *input, struct td_thg_error *error) {
  const struct bytes *bytes = input;
  struct td_thg graph;
  if (!td_import_bytes(bytes->data, bytes->length, "dump", &graph, NULL, error)) return false;
  td_thg_free(&graph);
  return true;
}

static bool read_one(const void *input, struct td_thg_error *error) {
  const struct bytes *bytes = input;
  struct td_thg graph;
  if (!td_thg_read_bytes(bytes->data, bytes->length, "graph", &graph, error)) return false;
  td_thg_free(&graph);
  return true;
}

static bool write_one(const void *input, struct td_thg_error *error) {
  char folder[200], path[300];
  long kept = countdown;
  countdown = -1;
  make_folder(folder, sizeof folder);
  snprintf(path, sizeof path, "%s/graph.thg", folder);
  countdown = kept;
  bool done = td_thg_write(path, input, NULL, error);
  kept = countdown;
  countdown = -1;
  cr_assert_eq(count_files(folder), done);
  remove_folder(folder);
  countdown = kept;
  return done;
}

Test(fault_import, hprof) {
  struct dump d = small_dump(8, true);
  refuse_each(import_one, &d.bytes);
  free(d.bytes.data);
}

Test(fault_import, heapsnapshot) {
  static const char text[] =
      "{\"snapshot\":{\"meta\":{\"node_fields\":[\"id\",\"self_size\",\"edge_count\"],"
      "\"edge_fields\":[\"type\",\"to_node\"]}},\"nodes\":[1,8,1],\"edges\":[0,0]}";
  struct bytes bytes = {0};
  put_bytes(&bytes, text, sizeof text - 1);
  refuse_each(import_one, &bytes);
  free(bytes.data);
}

Test(fault_import, reading_and_writing) {
  struct td_thg graph = sample_graph();
  struct bytes bytes = file_bytes(&graph);
  refuse_each(read_one, &bytes);
  refuse_each(write_one, &graph);
  free(bytes.data);
  td_thg_free(&graph);
}
