/* Files of the live heap: what is in them and when there is none. Graph files are read back by the
 * tests of workloads. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/gc/common.h"

static char *read_all(const char *path) {
  FILE *file = fopen(path, "r");
  cr_assert_not_null(file);
  char *text = calloc(1, 1 << 20);
  cr_assert_lt(fread(text, 1, (1 << 20) - 1, file), (1 << 20) - 1);
  fclose(file);
  return text;
}

static uint64_t number_after(const char *text, const char *key) {
  const char *at = strstr(text, key);
  cr_assert_not_null(at, "%s", key);
  return strtoull(at + strlen(key), NULL, 10);
}

Test(snapshot, counts_nodes_and_edges) {
  struct world w = world_new();
  struct pair *leaf = pair_new(&w, NULL, NULL, 3);
  struct pair *root = pair_new(&w, pair_new(&w, leaf, NULL, 2), leaf, 1);
  tide_handle(w.m, root);
  tide_handle(w.m, tide_weak_new(w.m, leaf, TIDE_WEAK_BEFORE));
  pair_new(&w, root, root, 9); /* garbage: not in the file */
  char path[] = "/tmp/tide-snapshot-XXXXXX";
  int file = mkstemp(path);
  cr_assert_geq(file, 0);
  close(file);
  struct tide_error error;
  cr_assert_eq(tide_heap_snapshot(w.m, path, &error), TIDE_OK, "%s", error.text);
  char *text = read_all(path);
  cr_assert_eq(number_after(text, "\"node_count\":"), 5); /* the root node too */
  cr_assert_eq(number_after(text, "\"edge_count\":"), 2 + 3 + 1);
  const char *edges = strstr(text, "\"edges\":[");
  uint64_t commas = 0;
  for (const char *at = edges; *at != ']'; at++)
    commas += *at == ',';
  cr_assert_eq(commas, 6 * 3 - 1);
  free(text);
  unlink(path);
  cr_assert_eq(tide_heap_snapshot(w.m, "/nowhere/at/all", &error), TIDE_ERROR_SYSTEM);
  cr_assert_not_null(strstr(error.text, "/nowhere/at/all"));
  cr_assert_eq(tide_heap_snapshot(w.m, "", &error), TIDE_ERROR_ARGUMENT);
  world_end(&w);
}

/* ---- Trace functions and root callbacks that do not report the same each time ---- */

struct fickle {
  struct tide_mutator *m;
  void *object;
  unsigned calls, odd; /* the call that reports something else */
};

static void fickle_trace(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {
  (void)bytes;
  struct fickle *fickle = context;
  if (fickle->calls++ != fickle->odd) tide_trace(tracer, object);
}

static void fickle_root(struct tide_tracer *tracer, void *context) {
  struct fickle *fickle = context;
  if (fickle->calls++ != fickle->odd) tide_trace(tracer, fickle->object);
}

static void refused(struct world *w) {
  char path[64];
  struct tide_error error;
  snprintf(path, sizeof path, "/tmp/tide-fickle-%d", (int)getpid());
  cr_assert_eq(tide_heap_snapshot(w->m, path, &error), TIDE_ERROR_STATE);
  cr_assert_not_null(strstr(error.text, "does not report the same references"), "%s", error.text);
  cr_assert_neq(access(path, F_OK), 0, "a file was left behind");
  strcat(path, ".part");
  cr_assert_neq(access(path, F_OK), 0, "a file was left behind");
}

/* Call 0 is the marking's; the file takes three more. The sum of edges may stay the same. */
Test(snapshot, a_trace_function_that_changes_its_mind) {
  for (unsigned odd = 1; odd <= 3; odd++) {
    struct tide_options options = small_options();
    options.markers = 1;
    struct world w = world_with(&options, TIDE_STACK_PRECISE);
    struct fickle fickle = {.odd = odd};
    tide_layout layout = tide_layout_traced(w.heap, fickle_trace, &fickle, NULL);
    tide_handle(w.m, tide_alloc(w.m, layout, 16));
    refused(&w);
    world_end(&w);
  }
}

Test(snapshot, a_root_callback_that_changes_its_mind) {
  for (unsigned odd = 1; odd <= 2; odd++) {
    struct world w = world_new();
    struct fickle fickle = {.object = pair_new(&w, NULL, NULL, 1), .odd = odd};
    tide_handle(w.m, fickle.object);
    cr_assert_eq(tide_root_add_callback(w.heap, fickle_root, &fickle), TIDE_OK);
    refused(&w);
    world_end(&w);
  }
}

/* ---- Other mutators ---- */

static _Atomic(bool) done;

static void *make_garbage(void *argument) {
  struct world w = *(struct world *)argument;
  struct tide_attach_options precise;
  tide_attach_options_init(&precise);
  precise.stack = TIDE_STACK_PRECISE;
  w.m = tide_attach(w.heap, &precise, NULL);
  while (!done)
    pair_new(&w, NULL, NULL, 1);
  tide_detach(w.m);
  return NULL;
}

/* Nothing that others allocate between the collection and the writing is in the file. */
Test(snapshot, holds_what_its_own_collection_marked) {
  struct world w = world_new();
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    cr_assert_eq(pthread_create(&threads[i], NULL, make_garbage, &w), 0);
  enum { LIVE = 100 };
  void **list = tide_handle(w.m, NULL);
  for (uint64_t i = 0; i < LIVE; i++)
    *list = pair_new(&w, *list, NULL, i);
  char path[] = "/tmp/tide-snapshot-XXXXXX";
  int file = mkstemp(path);
  cr_assert_geq(file, 0);
  close(file);
  for (int i = 0; i < 20; i++) {
    cr_assert_eq(tide_heap_snapshot(w.m, path, NULL), TIDE_OK);
    char *text = read_all(path);
    cr_assert_eq(number_after(text, "\"node_count\":"), LIVE + 1);
    cr_assert_eq(number_after(text, "\"edge_count\":"), LIVE);
    free(text);
  }
  done = true;
  tide_blocking_enter(w.m);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  tide_blocking_leave(w.m);
  unlink(path);
  world_end(&w);
}
