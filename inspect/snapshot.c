/* Files of the live heap: numbering the objects, and everything about the file but its contents. */
#include "inspect/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gc/base/error.h"
#include "gc/base/object.h"
#include "gc/cycle/collect.h"
#include "gc/roots/gather.h"

#define BLOCK_WORDS (TD_BLOCK_GRANULES / 64)
#define PATH_MAX_BYTES 4096

/* ---- Numbers of objects ---- */

static bool number_objects(struct td_snapshot *s) {
  uint32_t blocks = s->heap->space.frontier;
  s->objects = td_object_bitmap(&s->heap->space);
  s->before = calloc((size_t)blocks + 1, sizeof *s->before);
  if (!s->objects || !s->before) return false;
  for (uint32_t b = 0; b < blocks; b++) {
    s->before[b] = s->count;
    for (size_t i = 0; i < BLOCK_WORDS; i++)
      s->count += (uint64_t)__builtin_popcountll(s->objects[b * BLOCK_WORDS + i]);
  }
  return true;
}

uint64_t td_snapshot_number(const struct td_snapshot *s, uintptr_t object) {
  uint64_t granule = td_granule_of(s->heap->space.base, object);
  if (granule >= (uint64_t)s->heap->space.frontier << TD_BLOCK_GRANULES_LOG2) return TD_NO_NUMBER;
  uint32_t block = td_block_of_granule(granule);
  uint64_t bit = (uint64_t)1 << (granule % 64);
  if (!(s->objects[granule / 64] & bit)) return TD_NO_NUMBER;
  uint64_t number = s->before[block];
  for (uint64_t i = (uint64_t)block * BLOCK_WORDS; i < granule / 64; i++)
    number += (uint64_t)__builtin_popcountll(s->objects[i]);
  return number + (uint64_t)__builtin_popcountll(s->objects[granule / 64] & (bit - 1));
}

/* ---- Roots ---- */

static void scan_spans(struct tide_heap *heap, const struct td_span *spans, size_t count,
                       void *scanner) {
  (void)heap;
  for (size_t i = 0; i < count; i++)
    td_scan_span(scanner, &spans[i]);
}

void td_snapshot_scan_roots(struct td_snapshot *snapshot, struct td_scanner *scanner) {
  td_roots_gather(snapshot->heap, TD_WORDS_KEPT, scan_spans, scanner);
  td_roots_call_back(&scanner->tracer, snapshot->heap);
}

/* ---- The file ---- */

struct call {
  const char *function;
  void (*write)(struct td_snapshot *);
  struct td_snapshot snapshot;
};

bool td_snapshot_file_failed(struct td_snapshot *snapshot) {
  if (!ferror(snapshot->file)) return false;
  if (!snapshot->reason) snapshot->reason = errno ? errno : EIO;
  return true;
}

void td_snapshot_fail(struct td_snapshot *snapshot, enum tide_status status, const char *why) {
  if (snapshot->status != TIDE_OK) return;
  snapshot->status = status;
  snapshot->why = why;
}

void td_snapshot_fail_unsteady(struct td_snapshot *snapshot) {
  if (snapshot->reason) return; /* the walk ended early */
  td_snapshot_fail(
      snapshot, TIDE_ERROR_STATE,
      "a trace function or root callback does not report the same references each time");
}

static void snapshot_stopped(struct tide_mutator *mutator, void *argument) {
  struct call *call = argument;
  struct tide_heap *heap = mutator->heap;
  struct td_snapshot *s = &call->snapshot;
  s->heap = heap;
  pthread_mutex_lock(&heap->roots.lock);
  pthread_mutex_lock(&heap->finalizers.lock);
  if (number_objects(s))
    call->write(s);
  else
    td_snapshot_fail(s, TIDE_ERROR_MEMORY, "not enough memory");
  if (!td_snapshot_file_failed(s) && fflush(s->file) != 0) s->reason = errno;
  pthread_mutex_unlock(&heap->finalizers.lock);
  pthread_mutex_unlock(&heap->roots.lock);
  free(s->objects);
  free(s->before);
}

static enum tide_status fail_path(struct tide_error *error, const struct call *call,
                                  const char *path, int reason) {
  return td_fail(error, TIDE_ERROR_SYSTEM, "%s: %.160s: %s", call->function, path,
                 strerror(reason));
}

/* Under another name until it is whole. */
static enum tide_status write_file(struct tide_mutator *mutator, const char *path,
                                   struct call *call, struct tide_error *error) {
  char part[PATH_MAX_BYTES];
  struct stat there;
  if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
    return td_fail(error, TIDE_ERROR_SYSTEM, "%s: %.160s: not a regular file", call->function,
                   path);
  snprintf(part, sizeof part, "%s.part", path);
  struct td_snapshot *s = &call->snapshot;
  s->file = fopen(part, "we");
  if (!s->file) return fail_path(error, call, part, errno);
  enum tide_status status = td_collect_and(mutator, call->function, snapshot_stopped, call);
  if (status != TIDE_OK) td_snapshot_fail(s, status, "a collection is not possible here");
  if (fclose(s->file) != 0 && !s->reason) s->reason = errno;
  if (s->status == TIDE_OK && !s->reason && rename(part, path) != 0) s->reason = errno;
  if (s->status == TIDE_OK && !s->reason) return td_succeed(error);
  remove(part);
  if (s->reason) return fail_path(error, call, path, s->reason);
  return td_fail(error, s->status, "%s: %s", call->function, s->why);
}

static enum tide_status write_snapshot(struct tide_mutator *mutator, const char *path,
                                       struct call *call, struct tide_error *error) {
  if (!mutator || !path || !*path || strlen(path) + sizeof ".part" > PATH_MAX_BYTES)
    return td_fail(error, TIDE_ERROR_ARGUMENT, "%s: %s", call->function,
                   mutator ? "path is empty or too long" : "mutator is NULL");
  int before, disabled; /* a thread cancelled at the file would leave it behind */
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  enum tide_status status = write_file(mutator, path, call, error);
  pthread_setcancelstate(before, &disabled);
  return status;
}

enum tide_status tide_heap_snapshot(struct tide_mutator *mutator, const char *path,
                                    struct tide_error *error) {
  struct call call = {.function = "tide_heap_snapshot", .write = td_snapshot_devtools};
  return write_snapshot(mutator, path, &call, error);
}

enum tide_status tide_heap_snapshot_thg(struct tide_mutator *mutator, const char *path,
                                        struct tide_error *error) {
  struct call call = {.function = "tide_heap_snapshot_thg", .write = td_snapshot_thg};
  return write_snapshot(mutator, path, &call, error);
}
