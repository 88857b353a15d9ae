/* SPDX-License-Identifier: MIT */
/* The embedder's calls: a file, a stop of the world, a writer. */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include "inspect/base/outcome.h"
#include "inspect/base/whole_file.h"
#include "inspect/writers.h"
#include "tide/inspect.h"

struct call {
  const char *function;
  void (*write)(struct tide_walk *walk, FILE *file, struct td_outcome *outcome);
  FILE *file;
  struct td_outcome outcome;
};

static __attribute__((format(printf, 3, 4))) enum tide_status
fail(struct tide_error *error, enum tide_status status, const char *format, ...) {
  if (!error) return status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  error->status = status;
  return status;
}

static enum tide_status fail_path(struct tide_error *error, const struct call *call,
                                  const char *path, int result) {
  return fail(error, result == ENOMEM ? TIDE_ERROR_MEMORY : TIDE_ERROR_SYSTEM, "%s: %.160s: %s",
              call->function, path, td_whole_file_reason(result));
}

/* Writes while the world stands still. All that needs no walk is done afterwards. */
static void write_walk(struct tide_walk *walk, void *argument) {
  struct call *call = argument;
  call->write(walk, call->file, &call->outcome);
  if (fflush(call->file) != 0) td_outcome_fail_file(&call->outcome, errno);
}

static enum tide_status write_file(struct tide_mutator *mutator, const char *path,
                                   struct call *call, struct tide_error *error) {
  struct td_whole_file whole;
  int result = td_whole_file_create(&whole, path);
  if (result != 0) return fail_path(error, call, path, result);
  struct td_outcome *outcome = &call->outcome;
  call->file = whole.file;
  enum tide_status status = tide_heap_inspect(mutator, write_walk, call, NULL);
  if (status == TIDE_ERROR_MEMORY) td_outcome_fail_memory(outcome);
  if (status != TIDE_OK) td_outcome_fail(outcome, status, "a collection is not possible here");
  if (outcome->status != TIDE_OK) {
    td_whole_file_discard(&whole);
    if (outcome->reason) return fail_path(error, call, path, outcome->reason);
    return fail(error, outcome->status, "%s: %s", call->function, outcome->why);
  }
  result = td_whole_file_commit(&whole);
  if (result != 0) return fail_path(error, call, path, result);
  return fail(error, TIDE_OK, "%s", "");
}

static enum tide_status write_snapshot(struct tide_mutator *mutator, const char *path,
                                       struct call *call, struct tide_error *error) {
  if (!mutator || !path || !*path)
    return fail(error, TIDE_ERROR_ARGUMENT, "%s: %s", call->function,
                !mutator ? "mutator is NULL"
                : !path  ? "path is NULL"
                         : "path is empty");
  int before, disabled; /* a thread cancelled at the file would leave it behind */
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  enum tide_status status = write_file(mutator, path, call, error);
  pthread_setcancelstate(before, &disabled);
  return status;
}

enum tide_status tide_heap_snapshot(struct tide_mutator *mutator, const char *path,
                                    struct tide_error *error) {
  struct call call = {.function = "tide_heap_snapshot", .write = td_devtools_write};
  return write_snapshot(mutator, path, &call, error);
}

enum tide_status tide_heap_snapshot_thg(struct tide_mutator *mutator, const char *path,
                                        struct tide_error *error) {
#ifdef TIDE_GRAPH_FILES
  struct call call = {.function = "tide_heap_snapshot_thg", .write = td_graph_write};
  return write_snapshot(mutator, path, &call, error);
#else
  (void)mutator, (void)path;
  return fail(error, TIDE_ERROR_UNSUPPORTED,
              "tide_heap_snapshot_thg: the library was built without TIDE_GRAPH_FILES, which needs "
              "xxhash.h");
#endif
}
