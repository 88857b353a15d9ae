/* SPDX-License-Identifier: MIT */
/* Settings that change while a heap lives: how large it may become, what counts as a reference, and
 * how it is marked. */
#include <string.h>

#include "gc/check/caller/check.h"
#include "gc/state/error.h"
#include "gc/threads/inside.h"
#include "gc/threads/stop/world.h"
#include "gc/when/when.h"
#include "heap/space/find.h"
#include "marker/engine/engines.h"
#include "marker/queue/policies.h"
#include "tide/advanced.h"
#include "tide/stats.h"

/* May a setting be changed here? Says why not. `wrong` is what is wrong with the new one, or NULL.
 */
static enum tide_status check_call(const struct tide_heap *heap, const char *wrong,
                                   const char *function, struct tide_error *error) {
  if (!heap) return td_fail(error, TIDE_ERROR_ARGUMENT, "%s: heap is NULL", function);
  if (wrong) return td_fail(error, TIDE_ERROR_ARGUMENT, "%s: %s", function, wrong);
  if (td_in_callback())
    return td_fail(error, TIDE_ERROR_STATE, "%s: inside a collection", function);
  return TIDE_OK;
}

/* ---- Limits ---- */

/* What is wrong with a new limit, or NULL. */
static const char *max_objection(const struct tide_heap *heap, size_t bytes) {
  if (bytes < TD_HEAP_MAX_LEAST) return "heap_max_bytes is under 1 MiB";
  if (heap && bytes > heap->space.reserved_bytes)
    return "heap_max_bytes is over the address space reserved";
  return NULL;
}

enum tide_status tide_heap_set_max(struct tide_heap *heap, size_t heap_max_bytes,
                                   struct tide_error *error) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  enum tide_status status = check_call(heap, max_objection(heap, heap_max_bytes), __func__, error);
  if (status != TIDE_OK) return status;
  td_world_lock(heap);
  pthread_mutex_lock(&heap->space.lock);
  struct td_space *space = &heap->space;
  size_t usable = space->block_count - 1u, wanted = heap_max_bytes / TD_BLOCK_BYTES;
  space->max_blocks = (uint32_t)(wanted < usable ? wanted : usable);
  heap->when->sizing.max_blocks = space->max_blocks;
  td_budget_reserve(heap, space->used_blocks);
  uint32_t most = td_budget_bound(heap);
  if (heap->when->sizing.kind == TIDE_SIZING_FIXED || space->budget_blocks > most)
    space->budget_blocks = most;
  pthread_mutex_unlock(&heap->space.lock);
  td_world_unlock(heap);
  return td_succeed(error);
}

enum tide_status tide_heap_set_sizing(struct tide_heap *heap, enum tide_sizing sizing,
                                      double growth_factor, struct tide_error *error) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  const char *wrong = NULL;
  if ((int)sizing < 0 || sizing > TIDE_SIZING_WEIGHTED)
    wrong = "no such sizing";
  else if (growth_factor != 0 && !(growth_factor > 1 && growth_factor <= TD_GROWTH_MOST))
    wrong = "growth_factor is not over 1";
  enum tide_status status = check_call(heap, wrong, __func__, error);
  if (status != TIDE_OK) return status;
  td_world_lock(heap);
  pthread_mutex_lock(&heap->space.lock);
  heap->when->sizing.kind = sizing;
  heap->when->sizing.growth_factor = growth_factor;
  /* What the rule before has allowed is no promise of this one. */
  memset(heap->when->sizing.recent, 0, sizeof heap->when->sizing.recent);
  pthread_mutex_unlock(&heap->space.lock);
  td_world_unlock(heap);
  return td_succeed(error);
}

enum tide_status tide_heap_set_young(struct tide_heap *heap, enum tide_young young) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap || (int)young < 0 || young > TIDE_YOUNG_NEVER) return TIDE_ERROR_ARGUMENT;
  if (td_in_callback() || !heap->space.has_young) return TIDE_ERROR_STATE;
  td_world_lock(heap);
  heap->when->youth.kind =
      young == TIDE_YOUNG_WHERE_IT_PAYS && heap->verify ? TIDE_YOUNG_ALWAYS : young;
  td_world_unlock(heap);
  return TIDE_OK;
}

_Static_assert(TIDE_DISPLACEMENT_MAX == TD_DISPLACEMENTS, "as many as there are bits");

enum tide_status tide_heap_set_interior(struct tide_heap *heap, enum tide_interior interior) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap || (interior != TIDE_INTERIOR_ALL && interior != TIDE_INTERIOR_BASE))
    return TIDE_ERROR_ARGUMENT;
  if (td_in_callback()) return TIDE_ERROR_STATE;
  td_world_lock(heap);
  heap->space.base_only = interior == TIDE_INTERIOR_BASE;
  td_space_set_words(&heap->space);
  td_world_unlock(heap);
  return TIDE_OK;
}

enum tide_status tide_heap_add_displacement(struct tide_heap *heap, size_t bytes) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap || bytes >= TIDE_DISPLACEMENT_MAX) return TIDE_ERROR_ARGUMENT;
  if (td_in_callback()) return TIDE_ERROR_STATE;
  td_world_lock(heap);
  heap->space.displacements[bytes / 64] |= (uint64_t)1 << (bytes % 64);
  td_space_set_words(&heap->space);
  td_world_unlock(heap);
  return TIDE_OK;
}

/* ---- Marking ---- */

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

enum tide_status tide_heap_set_engine(struct tide_heap *heap, const char *name,
                                      struct tide_error *error) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  char names[TD_NAMES_BYTES];
  enum tide_status status = check_call(heap, name ? NULL : "name is NULL", __func__, error);
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
  enum tide_status status = check_call(heap, name ? NULL : "name is NULL", __func__, error);
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
  enum tide_status status = check_call(heap, NULL, __func__, error);
  if (status != TIDE_OK) return status;
  if (markers == 0 || markers > TIDE_MARKERS_MAX)
    return td_fail(error, TIDE_ERROR_ARGUMENT, "tide_heap_set_markers: %u is not in 1 to %u",
                   markers, TIDE_MARKERS_MAX);
  return configure(heap, NULL, markers, NULL, error);
}
