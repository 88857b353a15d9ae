/* SPDX-License-Identifier: MIT */
/* Files of the live heap: what is in them and when there is none. Graph files are read back by the
 * tests of workloads. */
#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/unit/gc/common.h"

HeapTest(snapshot, counts_nodes_and_edges) {
  struct pair *leaf = pair_new(&w, NULL, NULL, 3);
  struct pair *root = held(&w, pair_new(&w, pair_new(&w, leaf, NULL, 2), leaf, 1));
  tide_handle(w.m, tide_weak_new(w.m, leaf, TIDE_WEAK_BEFORE));
  pair_new(&w, root, root, 9); /* garbage: not in the file */
  char *text = snapshot_text(&w);
  cr_assert_eq(number_after(text, "\"node_count\":"), 5); /* the root node too */
  cr_assert_eq(number_after(text, "\"edge_count\":"), 2 + 3 + 1);
  const char *edges = strstr(text, "\"edges\":[");
  uint64_t commas = 0;
  for (const char *at = edges; *at != ']'; at++)
    commas += *at == ',';
  cr_assert_eq(commas, 6 * 3 - 1);
  free(text);
  struct tide_error error;
  cr_assert_eq(tide_heap_snapshot(w.m, "/nowhere/at/all", &error), TIDE_ERROR_SYSTEM);
  cr_assert_not_null(strstr(error.text, "/nowhere/at/all"));
  cr_assert_eq(tide_heap_snapshot(w.m, "", &error), TIDE_ERROR_ARGUMENT);
}

HeapTest(snapshot, says_what_layouts_are_called) {
  tide_layout cons = tide_layout_named(w.heap, w.pair, "cons \"\\cell\"", NULL);
  cr_assert_neq(cons, TIDE_LAYOUT_INVALID);
  tide_handle(w.m, tide_alloc(w.m, cons, sizeof(struct pair)));
  FREED char *text = snapshot_text(&w);
  const char *strings = strstr(text, "\"strings\":");
  cr_assert_not_null(strings);
  cr_assert_not_null(strstr(strings, "\"cons \\\"\\\\cell\\\"\""), "%s", strings);
  cr_assert_not_null(strstr(strings, "\"layout 1: leaf\""), "%s", strings);
}

struct fickle {
  struct tide_mutator *m;
  void *object;
  unsigned calls, odd; /* the call that reports something else */
};

TRACE(fickle_trace) {
  struct fickle *fickle = context;
  if (fickle->calls++ != fickle->odd) tide_trace(tracer, object);
}

ROOTS_OF(fickle_root) {
  struct fickle *fickle = context;
  if (fickle->calls++ != fickle->odd) tide_trace(tracer, fickle->object);
}

static void refused(struct world *w, struct fickle *fickle, int kinds) {
  char path[64];
  struct tide_error error;
  snprintf(path, sizeof path, "/tmp/tide-fickle-%d", (int)getpid());
  for (int thg = 0; thg < kinds; thg++, fickle->calls = 0) {
    cr_assert_eq((thg ? tide_heap_snapshot_thg : tide_heap_snapshot)(w->m, path, &error),
                 TIDE_ERROR_STATE, "call %u of %d", fickle->odd, thg);
    cr_assert_not_null(strstr(error.text, "does not report the same references"), "%s", error.text);
    cr_assert_neq(access(path, F_OK), 0, "a file was left behind");
  }
}

/* Call 0 is the marking's; the file takes three more of a trace function, the graph file two, and
 * two of a root callback, the graph file one. The sum of edges may stay the same. */
Test(snapshot, a_trace_function_or_root_callback_that_changes_its_mind) {
  for (unsigned odd = 1; odd <= 5; odd++) {
    SCOPED_WORLD w = WORLD(.markers = 1);
    struct fickle fickle = {.object = pair_new(&w, NULL, NULL, 1), .odd = odd <= 3 ? odd : odd - 3};
    tide_layout layout = tide_layout_traced(w.heap, fickle_trace, &fickle, NULL);
    tide_handle(w.m, odd <= 3 ? tide_alloc(w.m, layout, 16) : fickle.object);
    if (odd > 3) cr_assert_eq(tide_root_add_callback(w.heap, fickle_root, &fickle), TIDE_OK);
    refused(&w, &fickle, odd <= 2 ? 2 : 1);
  }
}

static _Atomic(bool) done;

static void *make_garbage(void *argument) {
  struct world w = *(struct world *)argument;
  w.m = mutator_of(w.heap, TIDE_STACK_PRECISE, TIDE_STOP_POLL);
  while (!done)
    pair_new(&w, NULL, NULL, 1);
  tide_detach(w.m);
  return NULL;
}

/* Nothing that others allocate between the collection and the writing is in the file. */
HeapTest(snapshot, holds_what_its_own_collection_marked) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    threads[i] = thread_new(make_garbage, &w);
  enum { LIVE = 100 };
  list_new(&w, LIVE);
  for (int i = 0; i < 20; i++) {
    FREED char *text = snapshot_text(&w);
    cr_assert_eq(number_after(text, "\"node_count\":"), LIVE + 1);
    cr_assert_eq(number_after(text, "\"edge_count\":"), LIVE);
  }
  done = true;
  threads_end(w.m, threads, 2);
}

/* ---- Files that somebody else has a hand in ---- */

static char folder[] = "/tmp/tide-files-XXXXXX";

static void folder_begin(void) {
  cr_assert_not_null(mkdtemp(folder));
}

/* How many files are in it; they are removed. */
static int folder_empty(void) {
  int count = 0;
  DIR *open = opendir(folder);
  cr_assert_not_null(open);
  for (struct dirent *entry; (entry = readdir(open));) {
    if (entry->d_name[0] == '.' && strspn(entry->d_name, ".") == strlen(entry->d_name)) continue;
    cr_assert_eq(unlinkat(dirfd(open), entry->d_name, 0), 0);
    count++;
  }
  closedir(open);
  return count;
}

static void folder_end(void) {
  folder_empty();
  rmdir(folder);
}

static char *inside(const char *name) {
  static char path[sizeof folder + 40];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

TestSuite(files, .init = folder_begin, .fini = folder_end);

static void put(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* A link at a name that can be guessed leads nowhere, and what it names stays as it is. */
HeapTest(files, a_link_that_somebody_planted) {
  char victim[64], target[64];
  snprintf(victim, sizeof victim, "%s", inside("victim"));
  snprintf(target, sizeof target, "%s", inside("heap"));
  put(victim, "precious");
  cr_assert_eq(symlink("victim", inside("heap.part")), 0);
  cr_assert_eq(tide_heap_snapshot(w.m, target, NULL), TIDE_OK);
  cr_assert_eq(tide_heap_snapshot_thg(w.m, target, NULL), TIDE_OK);
  char *text = read_all(victim);
  cr_assert_str_eq(text, "precious");
  free(text);
  struct stat status;
  cr_assert_eq(lstat(inside("heap.part"), &status), 0);
  cr_assert(S_ISLNK(status.st_mode));
  cr_assert_eq(folder_empty(), 3);
}

HeapTest(files, have_the_mode_that_the_umask_leaves) {
  struct stat status;
  mode_t before = umask(027);
  cr_assert_eq(tide_heap_snapshot(w.m, inside("heap"), NULL), TIDE_OK);
  cr_assert_eq(umask(before), 027);
  cr_assert_eq(stat(inside("heap"), &status), 0);
  cr_assert_eq(status.st_mode & 0777, 0640);
}

enum { WRITERS = 4, ROUNDS = 30 };

/* A heap of its own, of `objects` objects, in the same file as the others. */
static void write_often(const char *path, uint64_t objects) {
  SCOPED_WORLD w = world_new();
  list_new(&w, objects);
  for (int i = 0; i < ROUNDS; i++)
    cr_assert_eq(tide_heap_snapshot(w.m, path, NULL), TIDE_OK);
}

static uint64_t objects_of(uint64_t writer) {
  return 100 + 1000 * writer;
}

/* Whole: all nodes, and the end. */
static void expect_whole_file(void) {
  FREED char *text = read_all(inside("heap"));
  uint64_t nodes = number_after(text, "\"node_count\":") - 1, writer = nodes / 1000;
  cr_assert_eq(nodes, objects_of(writer));
  cr_assert_eq(number_after(text, "\"edge_count\":"), nodes);
  cr_assert_str_eq(text + strlen(text) - 3, "]}\n");
  uint64_t lines = 0;
  for (const char *at = text; *at; at++)
    lines += *at == '\n';
  cr_assert_geq(lines, 2 * nodes);
}

struct writer {
  const char *path;
  uint64_t number;
};

static void *write_in_thread(void *writer) {
  const struct writer *self = writer;
  write_often(self->path, objects_of(self->number));
  return NULL;
}

Test(files, several_threads_write_the_same) {
  pthread_t threads[WRITERS];
  struct writer writers[WRITERS];
  const char *path = inside("heap"); /* its memory is the same for all calls */
  for (uint64_t i = 0; i < WRITERS; i++) {
    writers[i] = (struct writer){path, i};
    threads[i] = thread_new(write_in_thread, &writers[i]);
  }
  for (int i = 0; i < WRITERS; i++)
    cr_assert_eq(pthread_join(threads[i], NULL), 0);
  expect_whole_file();
  cr_assert_eq(folder_empty(), 1);
}

Test(files, several_processes_write_the_same) {
  pid_t children[WRITERS];
  for (uint64_t i = 0; i < WRITERS; i++) {
    children[i] = fork();
    if (children[i] == 0) {
      write_often(inside("heap"), objects_of(i));
      _exit(0);
    }
    cr_assert_gt(children[i], 0);
  }
  for (int i = 0, status; i < WRITERS; i++) {
    cr_assert_eq(waitpid(children[i], &status, 0), children[i]);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  expect_whole_file();
  cr_assert_eq(folder_empty(), 1);
}

static void refused_at(struct world *w, const char *path, const char *why) {
  struct tide_error error;
  cr_assert_eq(tide_heap_snapshot(w->m, path, &error), TIDE_ERROR_SYSTEM);
  cr_assert_not_null(strstr(error.text, why), "%s", error.text);
  cr_assert_eq(tide_heap_snapshot_thg(w->m, path, &error), TIDE_ERROR_SYSTEM);
  cr_assert_not_null(strstr(error.text, why), "%s", error.text);
}

HeapTest(files, folders_that_cannot_be_written) {
  char name[300] = {0};
  memset(name, 'x', sizeof name - 1);
  refused_at(&w, "/proc/self/heap", "/proc/self/heap"); /* not even by root */
  refused_at(&w, inside("nowhere/heap"), "No such file or directory");
  refused_at(&w, name, strerror(ENAMETOOLONG));
  put(inside("file"), "");
  refused_at(&w, inside("file/heap"), "Not a directory");
  refused_at(&w, folder, "not a regular file");
  cr_assert_eq(mkfifo(inside("pipe"), 0600), 0);
  refused_at(&w, inside("pipe"), "not a regular file");
  cr_assert_eq(folder_empty(), 2);
  if (geteuid() != 0) { /* root may write everywhere */
    cr_assert_eq(chmod(folder, 0500), 0);
    refused_at(&w, inside("heap"), "Permission denied");
    cr_assert_eq(chmod(folder, 0700), 0);
  }
  cr_assert_eq(folder_empty(), 0);
}
