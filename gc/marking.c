/* How a heap is marked: the engine, the number of markers, and what they remember. */
#include <string.h>

#include "gc/base/error.h"
#include "gc/base/thread.h"
#include "gc/stop/world.h"
#include "marker/engine/list.h"
#include "tide/stats.h"

const char *tide_engine_name(size_t index) {
  return td_engine_name(index);
}
const char *tide_engine_text(size_t index) {
  return td_engine_text(index);
}

static enum tide_status configure(struct tide_heap *heap, const struct td_engine *engine,
                                  unsigned markers, struct tide_error *error) {
  struct tide_error local = {0};
  td_world_lock(heap);
  struct td_marker_config config = heap->config;
  if (engine) config.engine = engine;
  if (markers) config.markers = markers;
  bool done = td_markers_configure(heap->markers, &config, &local);
  if (done) heap->config = config;
  td_world_unlock(heap);
  if (done) return td_succeed(error);
  if (error) *error = local;
  return local.status;
}

enum tide_status tide_heap_set_engine(struct tide_heap *heap, const char *name,
                                      struct tide_error *error) {
  if (!heap || !name)
    return td_fail(error, TIDE_ERROR_ARGUMENT, "tide_heap_set_engine: %s is NULL",
                   heap ? "name" : "heap");
  if (td_inside_collection(heap))
    return td_fail(error, TIDE_ERROR_STATE, "tide_heap_set_engine: inside a collection");
  const struct td_engine *engine = td_engine_find(name);
  if (engine) return configure(heap, engine, 0, error);
  return td_fail(error, TIDE_ERROR_ARGUMENT, "tide_heap_set_engine: no engine is called %.64s",
                 name);
}

enum tide_status tide_trace_begin(struct tide_heap *heap, size_t events) {
  if (!heap || events > (size_t)1 << 26) return TIDE_ERROR_ARGUMENT;
  if (td_inside_collection(heap)) return TIDE_ERROR_STATE;
  td_world_lock(heap);
  bool done = td_markers_trace(heap->markers, events);
  td_world_unlock(heap);
  return done ? TIDE_OK : TIDE_ERROR_MEMORY;
}

size_t tide_trace_read(struct tide_heap *heap, struct tide_trace_event *events, size_t room,
                       uint64_t *lost) {
  if (!heap || td_inside_collection(heap)) return 0;
  td_world_lock(heap);
  size_t count = td_markers_trace_read(heap->markers, events, events ? room : 0, lost);
  td_world_unlock(heap);
  return count;
}

enum tide_status tide_heap_set_markers(struct tide_heap *heap, unsigned markers,
                                       struct tide_error *error) {
  if (!heap) return td_fail(error, TIDE_ERROR_ARGUMENT, "tide_heap_set_markers: heap is NULL");
  if (markers == 0 || markers > TIDE_MARKERS_MAX)
    return td_fail(error, TIDE_ERROR_ARGUMENT, "tide_heap_set_markers: %u is not in 1 to %u",
                   markers, TIDE_MARKERS_MAX);
  if (td_inside_collection(heap))
    return td_fail(error, TIDE_ERROR_STATE, "tide_heap_set_markers: inside a collection");
  return configure(heap, NULL, markers, error);
}
