/* SPDX-License-Identifier: MIT */
#include "bench/marking/trace.h"

#include <stdlib.h>

#include "bench/cli/complain.h"
#include "tide/tide.h"

#define EVENTS_ALL ((size_t)1 << 18) /* about, of all markers together */

static void note_phase(struct tide_heap *heap, enum tide_event event, uint64_t now_ns,
                       void *context) {
  struct td_trace *trace = context;
  if (event > TIDE_EVENT_CYCLE_END || trace->phase_count == TD_TRACE_PHASES_MAX) return;
  struct td_trace_phase *phase = &trace->phases[trace->phase_count++];
  *phase = (struct td_trace_phase){.event = event, .ns = now_ns};
  tide_cycle_running(heap, &phase->cycle);
}

static size_t events_per_marker(unsigned markers) {
  size_t events = EVENTS_ALL / markers;
  return events > 1u << 16 ? 1u << 16 : events;
}

static int collect(struct td_trace *trace, struct td_subject *subject) {
  struct td_cycle_record *stats = malloc(sizeof *stats);
  if (!stats) return td_complain(TD_EXIT_RESOURCES, "not enough memory for the trace");
  int status = TD_EXIT_OK;
  uint64_t objects;
  for (unsigned round = 0; round < TD_TRACE_ROUNDS && status == TD_EXIT_OK; round++)
    status = td_subject_mark(subject, trace->engine, trace->markers, stats, &objects);
  free(stats);
  return status;
}

int td_trace_record(struct td_trace *trace, struct td_subject *subject, const char *engine,
                    unsigned markers) {
  size_t each = events_per_marker(markers);
  *trace = (struct td_trace){.graph = subject->name, .engine = engine, .markers = markers};
  trace->events = calloc(each * markers, sizeof *trace->events);
  if (!trace->events || tide_timeline_begin(subject->heap, each) != TIDE_OK) {
    td_trace_free(trace);
    return td_complain(TD_EXIT_RESOURCES, "not enough memory for the trace");
  }
  tide_heap_on_event(subject->heap, note_phase, trace);
  int status = collect(trace, subject);
  tide_heap_on_event(subject->heap, NULL, NULL);
  trace->count = tide_timeline_read(subject->heap, trace->events, each * markers, &trace->lost);
  tide_timeline_begin(subject->heap, 0);
  return status;
}

void td_trace_free(struct td_trace *trace) {
  free(trace->events);
  *trace = (struct td_trace){0};
}
