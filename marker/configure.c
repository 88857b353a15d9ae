/* SPDX-License-Identifier: MIT */
/* The set of markers of a heap: created, configured, destroyed, and the logs of their events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marker/base/deferred.h"
#include "marker/base/idle.h"
#include "marker/engine/engines.h"
#include "marker/marker.h"
#include "marker/queue/policies.h"
#include "marker/region/regions.h"
#include "marker/test/tester.h"

/* ---- One marker ---- */

static size_t rounded(size_t bytes) {
  return (bytes + TD_CACHE_LINE - 1) / TD_CACHE_LINE * TD_CACHE_LINE;
}

static void free_marker(struct td_marker *marker) {
  if (!marker) return;
  free(marker->memory);
  td_growth_free(&marker->growth);
  free(marker->events.at);
  td_visitor_free(marker->visitor);
  td_tester_free(marker->tester);
  free(marker);
}

/* Returns a marker without a queue and without a thread, NULL if there is no memory. */
static struct td_marker *make_marker(struct td_markers *set, unsigned id) {
  struct td_marker *marker = aligned_alloc(TD_CACHE_LINE, rounded(sizeof *marker));
  if (!marker) return NULL;
  *marker = (struct td_marker){.set = set, .id = id};
  marker->visitor = td_visitor_make(marker);
  marker->tester = td_tester_make(marker);
  if (marker->visitor && marker->tester) return marker;
  free_marker(marker);
  return NULL;
}

/* ---- Their queues ---- */

/* Returns memory for all parts of a queue: the shared one, the owner's, the slots. */
static void *get_memory(const struct td_engine *engine, uint32_t blocks, uint32_t items) {
  return aligned_alloc(TD_CACHE_LINE, rounded(engine->queue_bytes) + rounded(engine->owner_bytes) +
                                          rounded(engine->storage_bytes(blocks, items)));
}

/* Makes a queue in that memory, which belongs to the marker from now on. */
static void make_queue(struct td_marker *marker, const struct td_engine *engine, uint32_t blocks,
                       uint32_t items, void *memory) {
  free(marker->memory);
  marker->memory = marker->queue = memory;
  marker->owner = (char *)marker->queue + rounded(engine->queue_bytes);
  marker->storage = (char *)marker->owner + rounded(engine->owner_bytes);
  engine->init(marker, blocks, items);
}

/* Gives the first `count` markers of the set queues of this engine and size. Markers that have such
 * a queue keep it. Returns false if there is no memory; nothing has changed then. */
static bool make_queues(struct td_markers *set, const struct td_engine *engine, uint32_t blocks,
                        uint32_t items, unsigned count) {
  void *memory[TIDE_MARKERS_MAX];
  bool same = set->engine == engine && set->queue_blocks == blocks && set->queue_items == items;
  unsigned first = same ? set->limit : 0;
  /* The memory of all queues comes first, so that nothing has changed when there is not enough. */
  for (unsigned i = first; i < count; i++) {
    if ((memory[i] = get_memory(engine, blocks, items))) continue;
    while (i-- > first)
      free(memory[i]);
    return false;
  }
  for (unsigned i = first; i < count; i++)
    make_queue(set->marker[i], engine, blocks, items, memory[i]);
  return true;
}

/* ---- The set ---- */

static bool fail(struct tide_error *error, enum tide_status status, const char *what,
                 const char *which) {
  if (error) {
    error->status = status;
    snprintf(error->text, sizeof error->text, what, which);
  }
  return false;
}

static bool check_config(const struct td_marker_config *config, const struct td_engine **engine,
                         uint32_t *blocks, uint32_t *items, struct tide_error *error) {
  *engine = config->engine ? config->engine : td_engines[0];
  const struct td_queue_entry *queue = (*engine)->queue;
  if (config->markers == 0 || config->markers > TIDE_MARKERS_MAX)
    return fail(error, TIDE_ERROR_ARGUMENT, "the number of markers must be 1 to 256%s", "");
  if (queue->sharing == TD_QUEUE_NOT_SHARED && config->markers > 1)
    return fail(error, TIDE_ERROR_ARGUMENT, "engine '%s' marks with one marker only", queue->name);
  *blocks = config->queue_blocks ? config->queue_blocks : queue->blocks;
  *items = config->queue_block_items ? config->queue_block_items : queue->items;
  if ((*engine)->storage_bytes(*blocks, *items) == 0)
    return fail(error, TIDE_ERROR_ARGUMENT,
                "queue of engine '%s': blocks and items must be powers of two in its range",
                queue->name);
  return true;
}

static uint64_t size_of(void *context, uint32_t victim) {
  const struct td_markers *set = context;
  return set->engine->size(set->marker[victim]->queue);
}

/* Tells the markers that may take part which others to steal from. The library does not know where
 * markers execute, so there are no distances between them. */
static void choose_victims(struct td_markers *set) {
  for (unsigned i = 0; i < set->limit; i++)
    td_policy_init(
        &set->marker[i]->policy,
        &(struct td_policy_options){
            .kind = set->policy, .self = i, .count = set->limit, .size = size_of, .context = set});
}

/* Makes the markers up to `count` that do not exist yet. They remember as many events as others. */
static bool make_markers(struct td_markers *set, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    if (!set->marker[i]) set->marker[i] = make_marker(set, i);
    if (!set->marker[i]) return false;
    struct td_events *events = &set->marker[i]->events;
    if (events->capacity != set->event_capacity &&
        !td_events_resize(events, i, set->event_capacity))
      return false;
  }
  return true;
}

/* Frees the markers from number `from` on. None of them has ever had a thread. */
static void drop_markers(struct td_markers *set, unsigned from) {
  for (unsigned i = from; i < TIDE_MARKERS_MAX; i++) {
    free_marker(set->marker[i]);
    set->marker[i] = NULL;
  }
}

/* Gets everything that can be refused before it changes anything. */
static bool configure(struct td_markers *set, const struct td_marker_config *config,
                      struct tide_error *error) {
  const struct td_engine *engine = NULL;
  uint32_t blocks = 0, items = 0;
  unsigned existing = 0;
  if (!check_config(config, &engine, &blocks, &items, error)) return false;
  while (existing < TIDE_MARKERS_MAX && set->marker[existing])
    existing++;
  bool made = make_markers(set, config->markers);
  if (!made || !make_queues(set, engine, blocks, items, config->markers)) {
    drop_markers(set, existing);
    return made ? fail(error, TIDE_ERROR_MEMORY, "no memory for the queues of engine '%s'",
                       engine->queue->name)
                : fail(error, TIDE_ERROR_MEMORY, "no memory for the markers' tables%s", "");
  }
  set->engine = engine;
  set->marking = config->marking;
  set->policy = config->policy ? config->policy : td_policies[0];
  set->queue_blocks = blocks;
  set->queue_items = items;
  set->limit = config->markers;
  set->cpus = config->cpus ? config->cpus : td_plat_cpus_allowed();
  set->helpers_after_ns = config->helpers_after_ns;
  /* relaxed: until a collection begins. */
  atomic_store_explicit(&set->enough, set->limit, memory_order_relaxed);
  choose_victims(set);
  return true;
}

struct td_markers *td_markers_create(struct td_space *space, const struct td_marker_config *config,
                                     struct tide_error *error) {
  struct td_markers *set = aligned_alloc(TD_CACHE_LINE, sizeof *set);
  struct td_regions *regions = td_regions_make(space);
  if (!set || !regions) {
    free(set);
    td_regions_free(regions);
    fail(error, TIDE_ERROR_MEMORY, "no memory for the markers%s", "");
    return NULL;
  }
  memset(set, 0, sizeof *set);
  set->space = space;
  set->regions = regions;
  if (configure(set, config, error)) return set;
  td_markers_destroy(set);
  return NULL;
}

bool td_markers_configure(struct td_markers *set, const struct td_marker_config *config,
                          struct tide_error *error) {
  td_quiet(set);
  unsigned before = set->limit;
  bool done = configure(set, config, error);
  td_reopen(set, set->limit != before);
  return done;
}

void td_markers_destroy(struct td_markers *set) {
  if (!set) return;
  td_helpers_end(set);
  for (unsigned i = 0; i < TIDE_MARKERS_MAX; i++)
    free_marker(set->marker[i]);
  td_regions_free(set->regions);
  free(set);
}

/* ---- The event logs of all markers ---- */

bool td_markers_trace(struct td_markers *set, size_t events) {
  bool done = true;
  td_quiet(set);
  set->event_capacity = events;
  for (unsigned i = 0; i < TIDE_MARKERS_MAX && set->marker[i]; i++)
    done = td_events_resize(&set->marker[i]->events, i, events) && done;
  if (!done) set->event_capacity = 0;
  for (unsigned i = 0; !done && i < TIDE_MARKERS_MAX && set->marker[i]; i++)
    td_events_resize(&set->marker[i]->events, i, 0);
  td_reopen(set, false);
  return done;
}

size_t td_markers_trace_read(struct td_markers *set, struct tide_timeline_event *events,
                             size_t room, uint64_t *lost) {
  size_t count = 0;
  /* Between collections only the collecting thread writes events: see td_marker.naps. */
  for (unsigned i = 0; i < TIDE_MARKERS_MAX && set->marker[i]; i++)
    count +=
        td_events_take(&set->marker[i]->events, events ? events + count : NULL, room - count, lost);
  return count;
}
