/* Heaps: creating, configuring, destroying. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gc/environment.h"
#include "gc/cycle/ephemeron.h"
#include "gc/finalizer.h"
#include "gc/base/state.h"
#include "gc/mutator/attach.h"
#include "gc/fork.h"
#include "gc/roots/set.h"
#include "gc/base/stats.h"
#include "gc/weak_table.h"
#include "gc/stop/world.h"
#include "heap/create.h"

#define RESERVE_DEFAULT_LEAST ((size_t)1 << 30)

/* ---- Errors ---- */

const char *tide_status_text(enum tide_status status) {
  switch (status) {
  case TIDE_OK:
    return "no error";
  case TIDE_ERROR_ARGUMENT:
    return "invalid argument";
  case TIDE_ERROR_ENVIRONMENT:
    return "invalid environment variable";
  case TIDE_ERROR_MEMORY:
    return "out of memory";
  case TIDE_ERROR_LIMIT:
    return "limit exceeded";
  case TIDE_ERROR_STATE:
    return "not possible in this state";
  case TIDE_ERROR_SYSTEM:
    return "refused by the operating system";
  case TIDE_ERROR_CHECK:
    return "verification failed";
  }
  return "unknown status";
}

#define TEXT_OF(x) #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *tide_version(void) {
  return VERSION_TEXT(TIDE_VERSION_MAJOR, TIDE_VERSION_MINOR, TIDE_VERSION_PATCH);
}

enum tide_status td_fail(struct tide_error *error, enum tide_status status, const char *format,
                         ...) {
  if (!error) return status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  error->status = status;
  return status;
}

#ifdef TD_DEBUG
static const bool misuse_aborts = true;
#else
static const bool misuse_aborts = false;
#endif

void td_misuse(const char *format, ...) {
  if (!misuse_aborts) return;
  char text[256]; /* written at once: several threads may end here */
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "tidemark: %s\n", text);
  abort();
}

/* ---- Options ---- */

void tide_options_init(struct tide_options *options) {
  if (options) *options = (struct tide_options){.struct_size = sizeof *options};
}

static bool power_of_two_or_zero(uint32_t value) {
  return value == 0 || (value >= 2 && (value & (value - 1)) == 0);
}

/* What is wrong with the options, or NULL. */
static const char *objection(const struct tide_options *o) {
  if (o->heap_max_bytes && o->heap_max_bytes < TD_HEAP_MAX_LEAST)
    return "heap_max_bytes is under 1 MiB";
  if (o->heap_max_bytes > PTRDIFF_MAX || o->reserve_bytes > PTRDIFF_MAX)
    return "heap_max_bytes or reserve_bytes is over half of the address space";
  if (o->heap_max_bytes && o->heap_initial_bytes > o->heap_max_bytes)
    return "heap_initial_bytes is over heap_max_bytes";
  if (o->reserve_bytes && o->reserve_bytes < o->heap_max_bytes)
    return "reserve_bytes is under heap_max_bytes";
  if (o->markers > TIDE_MARKERS_MAX) return "markers is over TIDE_MARKERS_MAX";
  if (o->engine && !td_engine_exists(o->engine)) return "no engine has this name";
  if (!power_of_two_or_zero(o->queue_blocks) || !power_of_two_or_zero(o->queue_block_items))
    return "queue_blocks and queue_block_items must be powers of two, at least 2";
  if ((int)o->sizing < 0 || o->sizing > TIDE_SIZING_ADAPTIVE) return "no such sizing";
  if (o->growth_factor != 0 && !(o->growth_factor > 1 && o->growth_factor <= 1e6))
    return "growth_factor is not over 1";
  if (o->adaptive_cost != 0 && !(o->adaptive_cost > 0 && o->adaptive_cost <= 1e12))
    return "adaptive_cost is not over 0";
  return NULL;
}

/* A structure of an older header is shorter. What a newer one has behind ours must not be set. */
static bool copy_options(struct tide_options *o, const struct tide_options *given,
                         struct tide_error *error) {
  const unsigned char *bytes = (const unsigned char *)given;
  if (given->struct_size < sizeof(size_t) || given->struct_size > 4096) {
    td_fail(error, TIDE_ERROR_ARGUMENT,
            "tide_heap_create: options without tide_options_init (struct_size %zu)",
            given->struct_size);
    return false;
  }
  for (size_t i = sizeof *o; i < given->struct_size; i++) {
    if (bytes[i] == 0) continue;
    td_fail(error, TIDE_ERROR_ARGUMENT,
            "tide_heap_create: an option of a newer header is set (byte %zu), unknown to %s", i,
            tide_version());
    return false;
  }
  memcpy(o, given, given->struct_size < sizeof *o ? given->struct_size : sizeof *o);
  return true;
}

/* Options given, then the environment, then defaults. */
static bool settle_options(const struct tide_options *given, struct tide_options *o,
                           struct td_environment *environment, struct tide_error *error) {
  tide_options_init(o);
  if (given && !copy_options(o, given, error)) return false;
  if (!td_environment_read(environment, error)) return false;
  const char *wrong = objection(o);
  if (wrong) {
    td_fail(error, TIDE_ERROR_ARGUMENT, "tide_heap_create: %s%s%.64s", wrong,
            o->engine && !td_engine_exists(o->engine) ? ": " : "",
            o->engine && !td_engine_exists(o->engine) ? o->engine : "");
    return false;
  }
  if (!o->heap_max_bytes) o->heap_max_bytes = environment->heap_max_bytes;
  if (!o->heap_max_bytes) o->heap_max_bytes = td_plat_memory_bytes();
  if (o->heap_max_bytes < TD_HEAP_MAX_LEAST) o->heap_max_bytes = TD_HEAP_MAX_LEAST;
  if (!o->markers) o->markers = environment->markers;
  if (!o->markers) o->markers = td_plat_cpus_allowed();
  if (o->markers > TIDE_MARKERS_MAX) o->markers = TIDE_MARKERS_MAX;
  if (!o->engine) o->engine = environment->engine;
  if (environment->small_pages) o->small_pages = true;
  /* Twice the limit, so that large objects find room between others. */
  if (!o->reserve_bytes && o->heap_max_bytes <= PTRDIFF_MAX / 2)
    o->reserve_bytes = o->heap_max_bytes * 2;
  if (o->reserve_bytes < RESERVE_DEFAULT_LEAST && !(given && given->reserve_bytes))
    o->reserve_bytes = RESERVE_DEFAULT_LEAST;
  if (!o->heap_initial_bytes) o->heap_initial_bytes = TD_INITIAL_DEFAULT;
  return true;
}

/* ---- Creating and destroying ---- */

static void start_policy(struct tide_heap *heap, const struct tide_options *o) {
  size_t initial = (o->heap_initial_bytes + TD_BLOCK_BYTES - 1) / TD_BLOCK_BYTES;
  uint32_t most = heap->space.max_blocks;
  heap->policy = (struct td_sizing){
      .kind = o->sizing,
      .growth_factor = o->growth_factor != 0 ? o->growth_factor : TD_GROWTH_DEFAULT,
      .adaptive_cost = o->adaptive_cost != 0 ? o->adaptive_cost : TD_ADAPTIVE_COST_DEFAULT,
      .initial_blocks = initial < most ? (uint32_t)initial : most,
      .max_blocks = most,
  };
  heap->space.budget_blocks = td_sizing_next(&heap->policy, &(struct td_sizing_facts){0});
}

static bool build_heap(struct tide_heap *heap, const struct tide_options *o,
                       struct tide_error *error) {
  heap->markers = td_markers_create(&heap->space, &heap->config, error);
  if (!heap->markers) return false;
  if (!td_stats_init(heap) || !td_world_init(&heap->world) || !td_roots_init(&heap->roots) ||
      !td_finalizers_init(&heap->finalizers) || !td_ephemerons_init(&heap->ephemerons)) {
    td_fail(error, TIDE_ERROR_MEMORY, "tide_heap_create: out of memory");
    return false;
  }
  heap->weak_table_layout = td_weak_table_layout(heap);
  start_policy(heap, o);
  if (!td_registry_add(heap)) {
    td_fail(error, TIDE_ERROR_SYSTEM, "tide_heap_create: cannot register fork handlers");
    return false;
  }
  return true;
}

static void free_heap(struct tide_heap *heap) {
  td_markers_destroy(heap->markers);
  td_mutator_free_pools(heap);
  td_ephemerons_deinit(&heap->ephemerons);
  td_finalizers_deinit(&heap->finalizers);
  td_roots_deinit(&heap->roots);
  td_world_deinit(&heap->world);
  td_stats_deinit(heap);
  td_space_deinit(&heap->space);
  free(heap);
}

/* The heap was made, but perhaps with less address space than was meant for it. */
static void remark(struct tide_error *error, size_t wanted, size_t reserved, bool log) {
  if (reserved + TD_SLAB_BYTES > wanted) {
    td_fail(error, TIDE_OK, "%s", "");
    return;
  }
  struct tide_error said;
  td_fail(&said, TIDE_OK, "the system gave %zu MiB of address space for a heap instead of %zu MiB",
          reserved >> 20, wanted >> 20);
  if (error) *error = said;
  if (log) fprintf(stderr, "tidemark: %s\n", said.text);
}

struct tide_heap *tide_heap_create(const struct tide_options *options, struct tide_error *error) {
  struct tide_options o;
  struct td_environment environment;
  if (!settle_options(options, &o, &environment, error)) return NULL;
  size_t bytes = (sizeof(struct tide_heap) + TD_CACHE_LINE - 1) / TD_CACHE_LINE * TD_CACHE_LINE;
  struct tide_heap *heap = aligned_alloc(TD_CACHE_LINE, bytes);
  if (!heap) {
    td_fail(error, TIDE_ERROR_MEMORY, "tide_heap_create: out of memory");
    return NULL;
  }
  memset(heap, 0, bytes);
  heap->out_of_memory = o.out_of_memory;
  heap->out_of_memory_context = o.out_of_memory_context;
  heap->stress = environment.stress;
  heap->verify = environment.verify;
  heap->log = environment.log;
  heap->config = (struct td_marker_config){.markers = o.markers,
                                           .queue_blocks = o.queue_blocks,
                                           .queue_block_items = o.queue_block_items};
  /* The embedder's string need not live as long as the heap. */
  for (size_t i = 0; o.engine && td_engine_name(i); i++)
    if (strcmp(td_engine_name(i), o.engine) == 0) heap->config.engine = td_engine_name(i);
  if (!td_space_init(&heap->space, o.reserve_bytes, o.heap_max_bytes, error)) {
    free(heap);
    return NULL;
  }
  heap->space.stress = heap->stress != 0;
  heap->space.small_pages = o.small_pages;
  if (!build_heap(heap, &o, error)) {
    free_heap(heap);
    return NULL;
  }
  remark(error, o.reserve_bytes, heap->space.reserved_bytes, heap->log);
  return heap;
}

enum tide_status tide_heap_destroy(struct tide_heap *heap) {
  if (!heap) return TIDE_OK;
  if (td_inside_collection(heap)) return TIDE_ERROR_STATE;
  td_world_lock(heap);
  /* relaxed: changed under the lock that we hold. */
  bool attached = atomic_load_explicit(&heap->world.count, memory_order_relaxed) != 0;
  td_world_unlock(heap);
  if (attached) return TIDE_ERROR_STATE;
  td_registry_remove(heap);
  free_heap(heap);
  return TIDE_OK;
}

/* ---- Marking ---- */

const char *tide_engine_name(size_t index) {
  return td_engine_name(index);
}
const char *tide_engine_text(size_t index) {
  return td_engine_text(index);
}

static enum tide_status configure(struct tide_heap *heap, const char *engine, unsigned markers,
                                  struct tide_error *error) {
  struct tide_error local = {0};
  td_world_lock(heap);
  struct td_marker_config config = heap->config;
  if (engine) config.engine = engine;
  if (markers) config.markers = markers;
  bool done = td_markers_configure(heap->markers, &config, &local);
  if (done) heap->config = config;
  td_world_unlock(heap);
  if (done) return td_fail(error, TIDE_OK, "%s", "");
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
  for (size_t i = 0; td_engine_name(i); i++)
    if (strcmp(td_engine_name(i), name) == 0) return configure(heap, td_engine_name(i), 0, error);
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
