/* SPDX-License-Identifier: MIT */
/* How a heap is marked: the engine, the policy, the number of markers, and what they remember. */
#include "gc/check/caller/check.h"
#include "gc/state/error.h"
#include "gc/threads/inside.h"
#include "gc/threads/stop/world.h"
#include "gc/threads/thread.h"
#include "marker/engine/engines.h"
#include "marker/queue/policies.h"
#include "tide/advanced.h"
#include "tide/stats.h"

const char *tide_engine_name(size_t index) {
  const struct td_engine *engine = td_engine_at(index);
  return engine ? engine->queue->name : NULL;
}

const char *tide_engine_text(size_t index) {
  const struct td_engine *engine = td_engine_at(index);
  return engine ? engine->queue->text : NULL;
}

const char *tide_policy_name(size_t index) {
  return td_policy_name(index);
}

/* Waits for a collection to end. Then either all of the configuration changes, or nothing does. */
static enum tide_status configure(struct tide_heap *heap, const struct td_engine *engine,
                                  unsigned markers, const struct td_policy_kind *policy,
                                  struct tide_error *error) {
  struct tide_error local = {0};
  td_world_lock(heap);
  struct td_marker_config config = heap->config;
  if (engine) config.engine = engine;
  if (markers) config.markers = markers;
  if (policy) config.policy = policy;
  bool done = td_markers_configure(heap->markers, &config, &local);
  if (done) heap->config = config;
  td_world_unlock(heap);
  if (done) return td_succeed(error);
  if (error) *error = local;
  return local.status;
}

static enum tide_status check_call(struct tide_heap *heap, const char *name, const char *function,
                                   struct tide_error *error) {
  if (!heap || !name)
    return td_fail(error, TIDE_ERROR_ARGUMENT, "%s: %s is NULL", function, heap ? "name" : "heap");
  if (td_in_callback())
    return td_fail(error, TIDE_ERROR_STATE, "%s: inside a collection", function);
  return TIDE_OK;
}

enum tide_status tide_heap_set_engine(struct tide_heap *heap, const char *name,
                                      struct tide_error *error) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  char names[TD_NAMES_BYTES];
  enum tide_status status = check_call(heap, name, "tide_heap_set_engine", error);
  if (status != TIDE_OK) return status;
  const struct td_engine *engine = td_engine_find(name);
  if (engine) return configure(heap, engine, 0, NULL, error);
  return td_fail(error, TIDE_ERROR_ARGUMENT,
                 "tide_heap_set_engine: no engine is called %.32s; there are: %s", name,
                 td_list_names(names, tide_engine_name));
}

enum tide_status tide_heap_set_policy(struct tide_heap *heap, const char *name,
                                      struct tide_error *error) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  char names[TD_NAMES_BYTES];
  enum tide_status status = check_call(heap, name, "tide_heap_set_policy", error);
  if (status != TIDE_OK) return status;
  const struct td_policy_kind *kind = td_policy_find(name);
  if (kind) return configure(heap, NULL, 0, kind, error);
  return td_fail(error, TIDE_ERROR_ARGUMENT,
                 "tide_heap_set_policy: no policy is called %.32s; there are: %s", name,
                 td_list_names(names, tide_policy_name));
}

enum tide_status tide_timeline_begin(struct tide_heap *heap, size_t events) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap || events > (size_t)1 << 26) return TIDE_ERROR_ARGUMENT;
  if (td_in_callback()) return TIDE_ERROR_STATE;
  td_world_lock(heap);
  bool done = td_markers_trace(heap->markers, events);
  td_world_unlock(heap);
  return done ? TIDE_OK : TIDE_ERROR_MEMORY;
}

size_t tide_timeline_read(struct tide_heap *heap, struct tide_timeline_event *events, size_t room,
                          uint64_t *lost) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap || td_in_callback()) return 0;
  td_world_lock(heap);
  size_t count = td_markers_trace_read(heap->markers, events, events ? room : 0, lost);
  td_world_unlock(heap);
  return count;
}

enum tide_status tide_heap_set_markers(struct tide_heap *heap, unsigned markers,
                                       struct tide_error *error) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap) return td_fail(error, TIDE_ERROR_ARGUMENT, "tide_heap_set_markers: heap is NULL");
  if (markers == 0 || markers > TIDE_MARKERS_MAX)
    return td_fail(error, TIDE_ERROR_ARGUMENT, "tide_heap_set_markers: %u is not in 1 to %u",
                   markers, TIDE_MARKERS_MAX);
  if (td_in_callback())
    return td_fail(error, TIDE_ERROR_STATE, "tide_heap_set_markers: inside a collection");
  return configure(heap, NULL, markers, NULL, error);
}
