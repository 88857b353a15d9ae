/* SPDX-License-Identifier: MIT */
/* A marker that stops for a while inside a region that it owns: a trace function sleeps there. All
 * the others go on, enter every other region, find what can be found without it, and wait without
 * visiting in vain. Nothing is lost.
 *
 *   held [MILLISECONDS]      how long it stops */
#include "marker/scan/rare.h"
#include "tests/marking/regions.h"

enum { OBJECTS = 20000, DEGREE = 4, ROOTS = 64 };

static struct rig r;
static uint64_t pause_ms;

/* One collection. Trace functions write it, the main thread reads it afterwards. */
static struct {
  _Atomic(uint32_t) traced;  /* relaxed counter: calls of the trace function */
  _Atomic(uint32_t) held;    /* 1 once a marker has stopped */
  uint32_t at_start, at_end; /* `traced` when it stopped and when it went on */
} now;

/* A marker's log ends with REGIONS_BEGIN while it visits; of the marker itself. A full log would
 * tell so for ever. */
static bool is_visiting(const struct td_marker *marker) {
  const struct td_events *e = &marker->events;
  return e->count > 0 && e->at[e->count - 1].kind == TIDE_TIMELINE_REGIONS_BEGIN;
}

static bool is_owned(const void *object) {
  struct td_regions *regions = rig_regions(&r);
  uint64_t granule = ((uintptr_t)object - r.heap->space.base) >> TD_GRANULE_LOG2;
  return td_region_is_owned(td_region_look(&regions->at[granule >> regions->shift]));
}

static void stop_here(const void *object) {
  struct timespec time = {.tv_sec = (time_t)(pause_ms / 1000),
                          .tv_nsec = (long)(pause_ms % 1000) * 1000000};
  CHECK(is_owned(object));
  now.at_start = atomic_load_explicit(&now.traced, memory_order_relaxed);
  nanosleep(&time, NULL);
  now.at_end = atomic_load_explicit(&now.traced, memory_order_relaxed);
  CHECK(is_owned(object)); /* nobody has taken it meanwhile */
}

static void trace(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {
  const struct td_marker *marker = ((struct td_trace_buffer *)tracer)->marker;
  uint32_t none = 0;
  uint32_t before = atomic_fetch_add_explicit(&now.traced, 1, memory_order_relaxed);
  if (before > OBJECTS / 10 && is_visiting(marker) &&
      atomic_compare_exchange_strong(&now.held, &none, 1))
    stop_here(object);
  tide_trace_range(tracer, object, bytes / sizeof(void *));
}

static void build(void) {
  static void *objects[OBJECTS];
  uint32_t random = 2463534242u;
  tide_layout layout = tide_layout_traced(r.heap, trace, NULL, NULL);
  CHECK(layout != TIDE_LAYOUT_INVALID);
  CHECK(tide_root_add_range(r.heap, objects, OBJECTS) == TIDE_OK);
  for (int i = 0; i < OBJECTS; i++)
    CHECK(objects[i] = tide_alloc(r.m, layout, 24 * sizeof(void *)));
  for (int i = 0; i < OBJECTS; i++)
    for (int k = 0; k < DEGREE; k++)
      ((void **)objects[i])[k] = objects[random_next(&random) % OBJECTS];
  CHECK(tide_root_remove_range(r.heap, objects) == TIDE_OK);
  CHECK(tide_root_add_range(r.heap, objects, ROOTS) == TIDE_OK);
}

/* Returns whether a marker was stopped and the others found most of the rest meanwhile. */
static bool collect(unsigned markers, size_t chunks) {
  struct regions_met met;
  char what[64];
  snprintf(what, sizeof what, "a marker stopped, %zu chunks", chunks);
  rig_configure(&r, "bwos", markers);
  rig_limit_regions(&r, REGIONS_SHIFT_LEAST, chunks);
  r.heap->markers->marking = TD_MARKING_PLACE;
  CHECK(tide_timeline_begin(r.heap, 1 << 16) == TIDE_OK);
  atomic_store(&now.traced, 0);
  atomic_store(&now.held, 0);
  uint64_t objects = rig_collect(&r, what);
  rig_check_regions(&r, what, &met);
  bool held = atomic_load(&now.held);
  printf("%2u markers, %4zu chunks: %s, %u to %u of %" PRIu64 " traced, %" PRIu64 " visits\n",
         markers, chunks, held ? "stopped" : "went through", now.at_start, now.at_end, objects,
         met.visits);
  if (!held) return false;
  CHECK(met.visits < objects);
  return now.at_end - now.at_start > (objects - now.at_start) / 2;
}

int main(int count, char **arguments) {
  static const size_t chunks[] = {4096, 64, 9, 3};
  unsigned good = 0;
  pause_ms = argument(count, arguments, 1, 1000);
  rig_open(&r, (size_t)64 << 20, 0, 0);
  build();
  for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++)
    for (unsigned markers = 2; markers <= 16; markers *= 8) {
      good += collect(markers, chunks[i]);
      pause_ms = pause_ms < 150 ? pause_ms : 150; /* long once */
    }
  printf("%u times the others went on\n", good);
  CHECK(good > 0);
  rig_close(&r);
  return 0;
}
