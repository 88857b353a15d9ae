/* SPDX-License-Identifier: MIT */
#include "bench/compare/trace_file.h"

#include <inttypes.h>
#include <stdlib.h>

#include "bench/cli/complain.h"
#include "bench/cli/json.h"
#include "bench/cli/output.h"
#include "tide/tide.h"

#define PROCESS 1u

struct writer {
  const struct td_trace *trace;
  struct td_json json;
  uint64_t zero_ns;
};

/* Begins an event. The caller adds fields and ends the object. */
static void begin_event(struct writer *w, const char *name, const char *phase, unsigned thread,
                        uint64_t ns) {
  td_json_object_begin(&w->json, NULL);
  td_json_string(&w->json, "name", name);
  td_json_string(&w->json, "ph", phase);
  td_json_count(&w->json, "pid", PROCESS);
  td_json_count(&w->json, "tid", thread);
  td_json_thousandths(&w->json, "ts", ns > w->zero_ns ? ns - w->zero_ns : 0);
}

static void put_span(struct writer *w, const char *name, unsigned thread, uint64_t from,
                     uint64_t to, const char *what, uint64_t value) {
  if (to < from) to = from;
  begin_event(w, name, "X", thread, from);
  td_json_thousandths(&w->json, "dur", to - from);
  if (what) {
    td_json_object_begin(&w->json, "args");
    td_json_count(&w->json, what, value);
    td_json_object_end(&w->json);
  }
  td_json_object_end(&w->json);
}

static void put_instant(struct writer *w, const char *name, const struct tide_timeline_event *e) {
  begin_event(w, name, "i", e->marker, e->ns);
  td_json_string(&w->json, "s", "t");
  if (e->kind == TIDE_TIMELINE_STEAL) {
    td_json_object_begin(&w->json, "args");
    td_json_count(&w->json, "from_marker", e->other);
    td_json_count(&w->json, "items", e->value);
    td_json_object_end(&w->json);
  }
  td_json_object_end(&w->json);
}

static void put_name(struct writer *w, unsigned thread, const char *name) {
  begin_event(w, "thread_name", "M", thread, w->zero_ns);
  td_json_object_begin(&w->json, "args");
  td_json_string(&w->json, "name", name);
  td_json_object_end(&w->json);
  td_json_object_end(&w->json);
}

static uint64_t later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* Writes the parts of a span that lie within mark phases. Idle time between phases means nothing.
 */
static void put_in_phases(struct writer *w, const char *name, unsigned marker, uint64_t from,
                          uint64_t to) {
  uint64_t begin = UINT64_MAX;
  for (size_t i = 0; i < w->trace->phase_count; i++) {
    const struct td_trace_phase *phase = &w->trace->phases[i];
    if (phase->event == TIDE_EVENT_MARK_BEGIN) begin = later(phase->ns, from);
    if (phase->event != TIDE_EVENT_MARK_END) continue;
    uint64_t end = phase->ns < to ? phase->ns : to;
    if (begin < end) put_span(w, name, marker, begin, end, NULL, 0);
  }
}

/* What is known of one marker while its events are read in order. */
struct lane {
  unsigned marker;
  bool active;
  uint64_t joined_ns, left_ns, roots_ns, test_ns, regions_ns, parked_ns, slots;
};

static void put_event(struct writer *w, struct lane *lane, const struct tide_timeline_event *e) {
  switch ((enum tide_timeline_kind)e->kind) {
  case TIDE_TIMELINE_JOIN:
    put_in_phases(w, "idle", lane->marker, lane->left_ns, e->ns);
    lane->active = true;
    lane->joined_ns = e->ns;
    break;
  case TIDE_TIMELINE_LEAVE:
    put_span(w, "trace", lane->marker, lane->joined_ns, e->ns, "objects", e->value);
    lane->active = false;
    lane->left_ns = e->ns;
    break;
  case TIDE_TIMELINE_ROOTS_BEGIN:
    lane->roots_ns = e->ns;
    lane->slots = e->value;
    break;
  case TIDE_TIMELINE_ROOTS_END:
    put_span(w, "roots", lane->marker, lane->roots_ns, e->ns, "slots", lane->slots);
    break;
  case TIDE_TIMELINE_TEST_BEGIN:
    lane->test_ns = e->ns;
    break;
  case TIDE_TIMELINE_TEST_END:
    put_span(w, "test", lane->marker, lane->test_ns, e->ns, "objects", e->value);
    break;
  case TIDE_TIMELINE_REGIONS_BEGIN:
    lane->regions_ns = e->ns;
    break;
  case TIDE_TIMELINE_REGIONS_END:
    put_span(w, "regions", lane->marker, lane->regions_ns, e->ns, "objects", e->value);
    break;
  case TIDE_TIMELINE_PARK:
    lane->parked_ns = e->ns;
    if (e->ns >= w->zero_ns) put_instant(w, "park", e);
    break;
  case TIDE_TIMELINE_WAKE:
    put_in_phases(w, "parked", lane->marker, lane->parked_ns, e->ns);
    break;
  case TIDE_TIMELINE_STEAL:
    put_instant(w, "steal", e);
    break;
  case TIDE_TIMELINE_GRANT:
    put_instant(w, "grant", e);
    break;
  case TIDE_TIMELINE_RECRUIT:
    put_instant(w, "recruit", e);
    break;
  }
}

static void put_lane(struct writer *w, unsigned marker) {
  struct lane lane = {.marker = marker};
  for (size_t i = 0; i < w->trace->count; i++)
    if (w->trace->events[i].marker == marker) put_event(w, &lane, &w->trace->events[i]);
  if (!lane.active) put_in_phases(w, "idle", marker, lane.left_ns, UINT64_MAX);
}

static void put_collection(struct writer *w, uint64_t begin, const struct td_trace_phase *end) {
  static const char *const causes[] = {
      [TIDE_CAUSE_NONE] = "none",       [TIDE_CAUSE_CALL] = "call",
      [TIDE_CAUSE_INSPECT] = "inspect", [TIDE_CAUSE_STRESS] = "stress",
      [TIDE_CAUSE_YOUNG] = "young",     [TIDE_CAUSE_GROWTH] = "growth",
      [TIDE_CAUSE_ROOM] = "room",       [TIDE_CAUSE_EXTERNAL] = "external",
  };
  begin_event(w, "collection", "X", w->trace->markers, begin);
  td_json_thousandths(&w->json, "dur", end->ns - begin);
  td_json_object_begin(&w->json, "args");
  td_json_count(&w->json, "number", end->cycle.number);
  td_json_string(&w->json, "kind", end->cycle.kind == TIDE_CYCLE_YOUNG ? "young" : "full");
  td_json_string(&w->json, "cause", causes[end->cycle.cause]);
  td_json_object_end(&w->json);
  td_json_object_end(&w->json);
}

/* Writes the phases of the collecting thread, one after the other, below the whole collection. */
static void put_phases(struct writer *w) {
  static const char *const names[] = {
      [TIDE_EVENT_STOPPED] = "stop",    [TIDE_EVENT_MARK_BEGIN] = "retire",
      [TIDE_EVENT_MARK_END] = "mark",   [TIDE_EVENT_WEAK_END] = "weak",
      [TIDE_EVENT_SWEEP_END] = "sweep", [TIDE_EVENT_CYCLE_END] = "finish",
  };
  const struct td_trace *trace = w->trace;
  uint64_t begin = 0, last = 0;
  for (size_t i = 0; i < trace->phase_count; i++) {
    const struct td_trace_phase *phase = &trace->phases[i];
    if (phase->event == TIDE_EVENT_CYCLE_BEGIN) begin = last = phase->ns;
    if (!names[phase->event]) continue;
    put_span(w, names[phase->event], trace->markers, last, phase->ns, NULL, 0);
    last = phase->ns;
    if (phase->event == TIDE_EVENT_CYCLE_END) put_collection(w, begin, phase);
  }
}

static int by_time(const void *a, const void *b) {
  const struct tide_timeline_event *x = a, *y = b;
  return (x->ns > y->ns) - (x->ns < y->ns);
}

static void put_counter(struct writer *w, const char *name, uint64_t ns, uint64_t value) {
  begin_event(w, name, "C", 0, ns);
  td_json_object_begin(&w->json, "args");
  td_json_count(&w->json, name, value);
  td_json_object_end(&w->json);
  td_json_object_end(&w->json);
}

static int put_counters(struct writer *w) {
  const struct td_trace *trace = w->trace;
  struct tide_timeline_event *sorted = malloc((trace->count + 1) * sizeof *sorted);
  if (!sorted) return td_complain(TD_EXIT_RESOURCES, "not enough memory for the trace");
  for (size_t i = 0; i < trace->count; i++)
    sorted[i] = trace->events[i];
  qsort(sorted, trace->count, sizeof *sorted, by_time);
  uint64_t active = 0, stolen = 0;
  for (size_t i = 0; i < trace->count; i++) {
    const struct tide_timeline_event *e = &sorted[i];
    if (e->kind == TIDE_TIMELINE_JOIN) put_counter(w, "active markers", e->ns, ++active);
    /* If there was no room for the join, its leave does not count either. */
    if (e->kind == TIDE_TIMELINE_LEAVE && active > 0)
      put_counter(w, "active markers", e->ns, --active);
    if (e->kind == TIDE_TIMELINE_STEAL) put_counter(w, "stolen items", e->ns, stolen += e->value);
  }
  free(sorted);
  return TD_EXIT_OK;
}

static void put_names(struct writer *w) {
  for (unsigned i = 0; i < w->trace->markers; i++) {
    char name[32];
    snprintf(name, sizeof name, "marker %u", i);
    put_name(w, i, name);
  }
  put_name(w, w->trace->markers, "collection");
}

static void put_description(struct writer *w) {
  const struct td_trace *trace = w->trace;
  td_json_string(&w->json, "displayTimeUnit", "ns");
  td_json_object_begin(&w->json, "otherData");
  td_json_string(&w->json, "version", tide_version());
  td_json_string(&w->json, "graph", trace->graph);
  td_json_string(&w->json, "engine", trace->engine);
  td_json_count(&w->json, "markers", trace->markers);
  td_json_count(&w->json, "collections", TD_TRACE_ROUNDS);
  td_json_count(&w->json, "events_lost", trace->lost);
  td_json_object_end(&w->json);
}

static int put_trace(struct writer *w, FILE *out) {
  td_json_begin(&w->json, out);
  td_json_object_begin(&w->json, NULL);
  put_description(w);
  td_json_array_begin(&w->json, "traceEvents");
  put_names(w);
  put_phases(w);
  for (unsigned i = 0; i < w->trace->markers; i++)
    put_lane(w, i);
  int status = put_counters(w);
  td_json_array_end(&w->json);
  td_json_object_end(&w->json);
  td_json_end(&w->json);
  return status;
}

int td_trace_write(const struct td_trace *trace, const char *path) {
  struct td_output output;
  int status = td_output_open(&output, path);
  if (status != TD_EXIT_OK) return status;
  struct writer w = {.trace = trace};
  w.zero_ns = trace->phase_count ? trace->phases[0].ns : 0;
  status = put_trace(&w, output.file);
  if (status != TD_EXIT_OK) {
    td_output_discard(&output);
    return status;
  }
  if (trace->lost)
    td_note("the trace lacks %" PRIu64 " event(s): there were too many for its memory",
            trace->lost);
  return td_output_commit(&output);
}
