/* SPDX-License-Identifier: MIT */
/* The set of markers of a heap: created, configured, destroyed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marker/base/deferred.h"
#include "marker/base/idle.h"
#include "marker/engine/engines.h"
#include "marker/helpers.h"
#include "marker/make.h"
#include "marker/marker.h"
#include "marker/queue/policies.h"
#include "marker/region/regions.h"

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

/* Makes the markers up to `count` that do not exist yet. They remember as many events as the
 * others.
 */
static bool make_markers(struct td_markers *set, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    if (!set->marker[i]) set->marker[i] = td_marker_make(set, i);
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
    td_marker_free(set->marker[i]);
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
  if (!made || !td_marker_queues_make(set, engine, blocks, items, config->markers)) {
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
  struct td_marker **table = calloc(TIDE_MARKERS_MAX, sizeof *table);
  struct td_regions *regions = td_regions_make(space);
  if (!set || !table || !regions) {
    free(set);
    free(table);
    td_regions_free(regions);
    fail(error, TIDE_ERROR_MEMORY, "no memory for the markers%s", "");
    return NULL;
  }
  memset(set, 0, sizeof *set);
  set->space = space;
  set->marker = table;
  set->bytes_each = TD_MANY_BYTES_EACH;
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
    td_marker_free(set->marker[i]);
  free(set->marker);
  td_regions_free(set->regions);
  free(set);
}
