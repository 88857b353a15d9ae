/* Sources of roots, and the list of what they report.
 *
 * The list grows while the world stands still, when a stopped thread may hold malloc's lock. So it
 * lies in address space of its own, which is reserved with the first source and committed page by
 * page. */
#include "gc/roots/source.h"

#include <stdlib.h>
#include <string.h>

#include "gc/check/caller/check.h"
#include "gc/threads/inside.h"
#include "gc/threads/stop/world.h"
#include "tide/foreign.h"

#define RESERVED_MOST ((size_t)64 << 20)
#define RESERVED_LEAST ((size_t)1 << 20) /* where address space is scarce */
#define COMMIT_BYTES ((size_t)64 << 10)

struct tide_root_list {
  struct td_sources *sources;
  td_sources_overfull overfull; /* NULL while the world runs */
  void *context;
  bool refused; /* before the stop: something could not be remembered */
};

static bool commit_more(struct td_sources *sources) {
  size_t bytes = sources->capacity * sizeof *sources->spans;
  bytes = (bytes + COMMIT_BYTES - 1) / COMMIT_BYTES * COMMIT_BYTES;
  if (bytes + COMMIT_BYTES > sources->reserved_bytes) return false;
  if (!td_plat_commit((char *)sources->spans + bytes, COMMIT_BYTES)) return false;
  sources->capacity = (bytes + COMMIT_BYTES) / sizeof *sources->spans;
  return true;
}

static void reserve_list(struct td_sources *sources) {
  size_t bytes = RESERVED_MOST;
  while (!(sources->spans = td_plat_reserve(bytes, td_plat_page_bytes())) && bytes > RESERVED_LEAST)
    bytes /= 2;
  sources->reserved_bytes = sources->spans ? bytes : 0;
}

static bool prepare_list(struct td_sources *sources) {
  if (!sources->spans) reserve_list(sources);
  return sources->spans && (sources->capacity || commit_more(sources));
}

void td_sources_deinit(struct td_sources *sources) {
  if (sources->spans) td_plat_release(sources->spans, sources->reserved_bytes);
  free(sources->at);
}

static void report(struct tide_root_list *list, const void *start, size_t bytes,
                   enum td_span_kind kind) {
  uintptr_t low = ((uintptr_t)start + 7) & ~(uintptr_t)7, high = (uintptr_t)start + bytes;
  if (!list || bytes < sizeof(void *) || high < low || high - low < sizeof(void *)) return;
  struct td_sources *sources = list->sources;
  if (sources->count == sources->capacity && !commit_more(sources)) {
    list->refused = true;
    if (!list->overfull) return;
    list->overfull(sources->spans, sources->count, list->context);
    sources->count = 0;
  }
  sources->spans[sources->count++] = (struct td_span){(const void *)low, (high - low) / 8, kind};
}

void tide_root_report(struct tide_root_list *list, const void *start, size_t bytes) {
  report(list, start, bytes, TD_SPAN_CONSERVATIVE);
}

void tide_root_report_stack(struct tide_root_list *list, const void *start, size_t bytes) {
  report(list, start, bytes, TD_SPAN_STACK);
}

bool td_sources_before_stop(struct tide_heap *heap) {
  struct td_sources *sources = heap->sources;
  struct tide_root_list list = {.sources = sources};
  sources->count = 0;
  for (size_t i = 0; i < sources->source_count; i++)
    if (sources->at[i].before_stop) sources->at[i].before_stop(&list, sources->at[i].context);
  return !list.refused;
}

/* One source after the other, each inside the one before. */
struct stopping {
  const struct td_sources *sources;
  size_t next;
  void (*stop)(void *argument);
  void *argument;
  bool stopped;
};

static void stop_inside(void *argument) {
  struct stopping *stopping = argument;
  const struct td_sources *sources = stopping->sources;
  while (stopping->next < sources->source_count && !sources->at[stopping->next].around_stop)
    stopping->next++;
  if (stopping->next < sources->source_count) {
    const struct tide_root_source *source = &sources->at[stopping->next++];
    source->around_stop(stop_inside, stopping, source->context);
  } else if (!stopping->stopped) { /* a source may call it twice */
    stopping->stopped = true;
    stopping->stop(stopping->argument);
  }
}

bool td_sources_stop(struct tide_heap *heap, void (*stop)(void *argument), void *argument) {
  struct stopping stopping = {.sources = heap->sources, .stop = stop, .argument = argument};
  stop_inside(&stopping);
  return stopping.stopped;
}

void td_sources_stopped(struct tide_heap *heap, td_sources_overfull overfull, void *context) {
  struct td_sources *sources = heap->sources;
  struct tide_root_list list = {.sources = sources, .overfull = overfull, .context = context};
  for (size_t i = 0; i < sources->source_count; i++)
    if (sources->at[i].stopped) sources->at[i].stopped(&list, sources->at[i].context);
}

/* ---- Adding and removing; under the world's lock ---- */

static bool same(const struct tide_root_source *a, const struct tide_root_source *b) {
  return a->before_stop == b->before_stop && a->stopped == b->stopped &&
         a->around_stop == b->around_stop && a->context == b->context;
}

static size_t find(const struct td_sources *sources, const struct tide_root_source *source) {
  size_t i = 0;
  while (i < sources->source_count && !same(&sources->at[i], source))
    i++;
  return i;
}

static enum tide_status add(struct td_sources *sources, const struct tide_root_source *source) {
  if (find(sources, source) < sources->source_count) return TIDE_ERROR_STATE;
  if (!prepare_list(sources)) return TIDE_ERROR_MEMORY;
  struct tide_root_source *larger =
      realloc(sources->at, (sources->source_count + 1) * sizeof *larger);
  if (!larger) return TIDE_ERROR_MEMORY;
  sources->at = larger;
  sources->at[sources->source_count++] = *source;
  return TIDE_OK;
}

static enum tide_status drop(struct td_sources *sources, const struct tide_root_source *source) {
  size_t at = find(sources, source);
  if (at == sources->source_count) return TIDE_ERROR_ARGUMENT;
  memmove(&sources->at[at], &sources->at[at + 1],
          (--sources->source_count - at) * sizeof *sources->at);
  return TIDE_OK;
}

static enum tide_status change(struct tide_heap *heap, const struct tide_root_source *source,
                               enum tide_status (*how)(struct td_sources *,
                                                       const struct tide_root_source *)) {
  if (!heap || !source || (!source->before_stop && !source->stopped && !source->around_stop))
    return TIDE_ERROR_ARGUMENT;
  if (td_in_callback()) return TIDE_ERROR_STATE;
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  td_world_lock(heap);
  enum tide_status status = how(heap->sources, source);
  td_world_unlock(heap);
  return status;
}

enum tide_status tide_root_add_source(struct tide_heap *heap,
                                      const struct tide_root_source *source) {
  return change(heap, source, add);
}

enum tide_status tide_root_remove_source(struct tide_heap *heap,
                                         const struct tide_root_source *source) {
  return change(heap, source, drop);
}
