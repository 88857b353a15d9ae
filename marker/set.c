/* The markers of a heap: creation, configuration, a collection's frame. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marker/loop/batch.h"
#include "marker/base/state.h"
#include "marker/base/pending.h"
#include "marker/engine/list.h"
#include "platform/probes.h"

static bool fail(struct tide_error *error, enum tide_status status, const char *what,
                 const char *which) {
  if (error) {
    error->status = status;
    snprintf(error->text, sizeof error->text, what, which);
  }
  return false;
}

/* ---- One marker ---- */

static size_t rounded(size_t bytes) {
  return (bytes + TD_CACHE_LINE - 1) / TD_CACHE_LINE * TD_CACHE_LINE;
}

/* What a queue needs. It is the marker's once there is enough for all markers. */
struct queue_memory {
  void *parts; /* shared part, owner's part, slots */
  struct td_growth growth;
};

static void give_back(struct queue_memory *memory) {
  free(memory->parts);
  td_growth_close(&memory->growth);
}

static bool get_memory(struct queue_memory *memory, const struct td_engine *engine, uint32_t blocks,
                       uint32_t items) {
  size_t bytes = rounded(engine->queue_bytes) + rounded(engine->owner_bytes) +
                 rounded(engine->storage_bytes(blocks, items));
  *memory = (struct queue_memory){.parts = aligned_alloc(TD_CACHE_LINE, bytes)};
  bool grows = engine->queue->room == TD_QUEUE_GROWS;
  if (memory->parts && (!grows || td_growth_open(&memory->growth, TD_GROWTH_BYTES))) return true;
  give_back(memory);
  return false;
}

/* The engine's queue in that memory, which is the marker's from now on. */
static void make_queue(struct td_marker *marker, const struct td_engine *engine, uint32_t blocks,
                       uint32_t items, const struct queue_memory *memory) {
  give_back(&(struct queue_memory){.parts = marker->memory, .growth = marker->growth});
  marker->memory = marker->queue = memory->parts;
  marker->growth = memory->growth;
  marker->owner = (char *)marker->queue + rounded(engine->queue_bytes);
  marker->storage = (char *)marker->owner + rounded(engine->owner_bytes);
  engine->init(marker, blocks, items);
}

static void free_marker(struct td_marker *marker) {
  if (!marker) return;
  free(marker->memory);
  td_growth_close(&marker->growth);
  free(marker->events.at);
  free(marker->dense_list);
  free(marker->batches);
  free(marker);
}

static struct td_marker *make_marker(struct td_markers *set, unsigned id) {
  struct td_marker *marker = aligned_alloc(TD_CACHE_LINE, rounded(sizeof *marker));
  if (!marker) return NULL;
  *marker = (struct td_marker){.set = set, .id = id};
  size_t dense = TD_CHUNK_BLOCKS * TD_BLOCK_GRANULES + TD_DENSE_AHEAD;
  marker->dense_list = malloc(dense * sizeof *marker->dense_list);
  marker->batches = malloc(2 * TD_BATCH_ROOM * sizeof *marker->batches);
  if (marker->dense_list && marker->batches) return marker;
  free_marker(marker);
  return NULL;
}

/* ---- The set ---- */

static bool check_config(const struct td_marker_config *config, const struct td_engine **engine,
                         uint32_t *blocks, uint32_t *items, struct tide_error *error) {
  *engine = config->engine ? config->engine : td_engine_at(0);
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

static _Thread_local const struct td_markers *helped; /* NULL in all threads but helpers */

bool td_markers_has_thread(const struct td_markers *markers) {
  return helped == markers;
}

static void *help(void *argument) {
  struct td_marker *marker = argument;
  helped = marker->set;
  return td_helper(marker);
}

/* Helpers that are wanted and not there yet. A thread that cannot be had is an error here, so
 * that a collection never depends on the system. */
static bool start_helpers(struct td_markers *set, unsigned markers, struct tide_error *error) {
  while (set->started + 1 < markers) {
    struct td_marker *marker = set->marker[set->started + 1];
    if (!td_plat_thread_start(&marker->thread, help, marker)) {
      if (error) {
        error->status = TIDE_ERROR_SYSTEM;
        snprintf(error->text, sizeof error->text, "cannot start marker thread %u of %u: %s",
                 set->started + 2, markers, strerror(errno));
      }
      return false;
    }
    set->started++;
  }
  return true;
}

/* Queues of another kind or size for all markers: memory for all first, so that nothing has
 * changed when there is not enough. */
static bool change_queues(struct td_markers *set, const struct td_engine *engine, uint32_t blocks,
                          uint32_t items, unsigned count) {
  struct queue_memory memory[TIDE_MARKERS_MAX];
  unsigned same = set->engine == engine && set->queue_blocks == blocks && set->queue_items == items
                      ? set->limit
                      : 0;
  for (unsigned i = same; i < count; i++) {
    if (get_memory(&memory[i], engine, blocks, items)) continue;
    while (i-- > same)
      give_back(&memory[i]);
    return false;
  }
  for (unsigned i = same; i < count; i++)
    make_queue(set->marker[i], engine, blocks, items, &memory[i]);
  return true;
}

static uint64_t size_of(void *context, uint32_t victim) {
  const struct td_markers *set = context;
  return set->engine->size(set->marker[victim]->queue);
}

/* Whom each of the markers that may take part steals from. The library does not know where markers
 * run, so there are no distances between them. */
static void choose_victims(struct td_markers *set) {
  for (unsigned i = 0; i < set->limit; i++)
    td_policy_init(
        &set->marker[i]->policy,
        &(struct td_policy_options){
            .kind = set->policy, .self = i, .count = set->limit, .size = size_of, .context = set});
}

static bool configure(struct td_markers *set, const struct td_marker_config *config,
                      struct tide_error *error) {
  const struct td_engine *engine;
  uint32_t blocks, items;
  if (!check_config(config, &engine, &blocks, &items, error)) return false;
  for (unsigned i = 0; i < config->markers; i++) {
    if (!set->marker[i]) set->marker[i] = make_marker(set, i);
    bool ready = set->marker[i] && (set->marker[i]->events.capacity == set->events ||
                                    td_events_resize(&set->marker[i]->events, i, set->events));
    if (!ready) return fail(error, TIDE_ERROR_MEMORY, "no memory for the markers' tables%s", "");
  }
  if (!change_queues(set, engine, blocks, items, config->markers))
    return fail(error, TIDE_ERROR_MEMORY, "no memory for the queues of engine '%s'",
                engine->queue->name);
  set->engine = engine;
  set->policy = config->policy;
  set->queue_blocks = blocks;
  set->queue_items = items;
  set->limit = config->markers < set->limit ? config->markers : set->limit;
  if (!start_helpers(set, config->markers, error)) return false;
  set->limit = config->markers;
  set->flag_rows = set->limit < TD_FLAG_ROWS ? set->limit : TD_FLAG_ROWS;
  return true;
}

/* Helpers that have just started look where to sleep; nobody needs to wait for them. */
static void open_first(struct td_markers *set) {
  choose_victims(set);
  td_reopen(set, false);
  td_wake_all(set);
}

struct td_markers *td_markers_create(struct td_space *space, const struct td_marker_config *config,
                                     struct tide_error *error) {
  struct td_markers *set = aligned_alloc(TD_CACHE_LINE, rounded(sizeof *set));
  struct td_marker **table = calloc(TIDE_MARKERS_MAX, sizeof *table);
  if (!set || !table) {
    free(set);
    free(table);
    fail(error, TIDE_ERROR_MEMORY, "no memory for the markers%s", "");
    return NULL;
  }
  memset(set, 0, sizeof *set);
  set->space = space;
  set->marker = table;
  /* relaxed: no helper yet. Those that start may not look at a configuration in the making. */
  atomic_store_explicit(&set->closed, 1, memory_order_relaxed);
  if (configure(set, config, error)) {
    open_first(set);
    return set;
  }
  td_markers_destroy(set);
  return NULL;
}

bool td_markers_configure(struct td_markers *set, const struct td_marker_config *config,
                          struct tide_error *error) {
  td_quiet(set);
  unsigned before = set->limit;
  bool done = configure(set, config, error);
  choose_victims(set);
  td_reopen(set, set->limit != before);
  return done;
}

bool td_markers_trace(struct td_markers *set, size_t events) {
  bool done = true;
  td_quiet(set);
  set->events = events;
  for (unsigned i = 0; i < TIDE_MARKERS_MAX && set->marker[i]; i++)
    done = td_events_resize(&set->marker[i]->events, i, events) && done;
  if (!done) set->events = 0;
  for (unsigned i = 0; !done && i < TIDE_MARKERS_MAX && set->marker[i]; i++)
    td_events_resize(&set->marker[i]->events, i, 0);
  td_reopen(set, false);
  return done;
}

size_t td_markers_trace_read(struct td_markers *set, struct tide_trace_event *events, size_t room,
                             uint64_t *lost) {
  size_t count = 0;
  /* Nobody but the collecting thread writes events between collections: see td_marker.naps. */
  for (unsigned i = 0; i < TIDE_MARKERS_MAX && set->marker[i]; i++)
    count +=
        td_events_take(&set->marker[i]->events, events ? events + count : NULL, room - count, lost);
  return count;
}

void td_markers_destroy(struct td_markers *set) {
  if (!set) return;
  /* release [idle.quit]: pairs with td_helper. */
  atomic_store_explicit(&set->quit, 1, memory_order_release);
  td_wake_all(set);
  for (unsigned i = 1; i <= set->started; i++)
    td_plat_thread_join(&set->marker[i]->thread);
  for (unsigned i = 0; i < TIDE_MARKERS_MAX; i++)
    free_marker(set->marker[i]);
  free(set->marker);
  free(set);
}

void td_markers_after_fork(struct td_markers *set) {
  unsigned wanted = set->limit;
  set->started = 0;
  atomic_store_explicit(&set->parked, 0, memory_order_relaxed); /* relaxed, all: one thread */
  atomic_store_explicit(&set->ready, 0, memory_order_relaxed);
  atomic_store_explicit(&set->spinning, 0, memory_order_relaxed);
  atomic_store_explicit(&set->closed, 1, memory_order_relaxed);
  struct tide_error ignored;
  if (!start_helpers(set, wanted, &ignored)) set->limit = set->started + 1;
  open_first(set);
}

/* ---- A collection ---- */

void td_mark_begin(struct td_markers *set) {
  set->cycle++;
  atomic_store_explicit(&set->flagged, 0, memory_order_relaxed); /* relaxed: [term.start] */
  set->mark_ns = 0;
  uint32_t chunks = (set->space->frontier + TD_CHUNK_BLOCKS - 1) / TD_CHUNK_BLOCKS;
  atomic_store_explicit(&set->chunks, chunks, memory_order_relaxed); /* relaxed: as above */
  for (unsigned i = 0; i < set->limit; i++) {
    struct td_marker *marker = set->marker[i];
    marker->stats = (struct tide_marker_stats){0};
    marker->took_part = i == 0;
    marker->leafy = false;
    marker->queued_leaves = 0;
    marker->weak = marker->ephemerons = 0;
    marker->recruit_step = TD_RECRUIT_OBJECTS;
  }
}

static void call_back(struct td_marker *marker, const struct td_roots *roots) {
  struct td_gather gather;
  td_gather_init(&gather, marker);
  uint64_t since = td_plat_now_ns();
  roots->callback(&gather.tracer, roots->context);
  for (uint32_t i = 0; i < gather.count; i++)
    td_pending_defer(marker, gather.items[i]);
  marker->stats.roots_ns += td_plat_now_ns() - since;
}

void td_mark_run(struct td_markers *set, const struct td_roots *roots) {
  uint64_t begin = td_plat_now_ns();
  set->spans = roots->spans;
  set->span_count = roots->span_count;
  uint64_t slices = 0;
  for (size_t i = 0; i < roots->span_count; i++)
    slices += (roots->spans[i].count + TD_SLICE_SLOTS - 1) / TD_SLICE_SLOTS;
  /* relaxed, both: [term.start] */
  atomic_store_explicit(&set->root_next, 0, memory_order_relaxed);
  atomic_store_explicit(&set->root_slices, slices, memory_order_relaxed);
  set->run++;
  set->start_ns = begin - set->mark_ns;
  set->marker[0]->joined_ns = begin;
  td_event_at(&set->marker[0]->events, begin, TIDE_TRACE_JOIN, 0, 0);
  TD_PROBE1(join, 0);
  if (roots->callback) call_back(set->marker[0], roots);
  td_term_start(&set->term);
  set->engine->work(set->marker[0], true);
  set->mark_ns += td_plat_now_ns() - begin;
}

/* While marking, trace_ns holds all the time that a marker was active. */
static void split_time(struct tide_marker_stats *m) {
  uint64_t span = m->ended_ns - m->started_ns;
  m->idle_ns = span > m->trace_ns ? span - m->trace_ns : 0;
  m->trace_ns -= m->roots_ns + m->dense_ns;
}

void td_mark_end(struct td_markers *set, struct tide_cycle_stats *stats,
                 struct tide_marker_stats *figures) {
  stats->engine = set->engine->queue->name;
  stats->markers = set->limit;
  stats->recruited = 0;
  stats->objects = stats->steals = 0;
  stats->mark_ns = set->mark_ns;
  for (unsigned i = 0; i < set->limit; i++) {
    struct td_marker *marker = set->marker[i];
    const struct tide_marker_stats *one = &marker->stats;
    set->engine->shrink(marker);
    td_growth_reset(&marker->growth);
    stats->recruited += marker->took_part;
    stats->objects += one->objects;
    stats->steals += one->steals;
    figures[i] = *one;
    split_time(&figures[i]);
  }
}
