/* SPDX-License-Identifier: MIT */
#include "bench/subject/subject.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/cli/complain.h"
#include "bench/cli/progress.h"
#include "tide/advanced.h"

int td_exit_of(enum tide_status status) {
  switch (status) {
  case TIDE_OK:
    return TD_EXIT_OK;
  case TIDE_ERROR_ARGUMENT:
  case TIDE_ERROR_ENVIRONMENT:
  case TIDE_ERROR_LIMIT:
    return TD_EXIT_USAGE;
  case TIDE_ERROR_CHECK:
    return TD_EXIT_CHECK;
  case TIDE_ERROR_MEMORY:
  case TIDE_ERROR_STATE:
  case TIDE_ERROR_SYSTEM:
  case TIDE_ERROR_UNSUPPORTED:
    break;
  }
  return TD_EXIT_RESOURCES;
}

static int create_heap(uint64_t heap_max_bytes, struct td_subject *subject) {
  struct tide_options options;
  tide_options_init(&options);
  options.heap_max_bytes = heap_max_bytes;
  options.sizing = TIDE_SIZING_FIXED; /* no collection while the graph grows */
  struct tide_error error = {0};
  subject->heap = tide_heap_create(&options, &error);
  if (!subject->heap) return td_complain(td_exit_of(error.status), "%s", error.text);
  if (error.text[0]) td_note("%s", error.text);
  struct tide_attach_options attach;
  tide_attach_options_init(&attach);
  attach.stack = TIDE_STACK_PRECISE;
  subject->mutator = tide_attach(subject->heap, &attach, &error);
  if (!subject->mutator) return td_complain(td_exit_of(error.status), "%s", error.text);
  subject->graph = td_graph_tide_new(subject->heap, subject->mutator);
  return subject->graph ? TD_EXIT_OK
                        : td_complain(TD_EXIT_RESOURCES, "not enough memory for a graph");
}

static void report_progress(void *context, uint64_t done, uint64_t total) {
  const struct td_subject *subject = context;
  char what[96];
  snprintf(what, sizeof what, "building %.64s", subject->name);
  td_progress(what, done, total);
}

/* Says that the graph did not fit, and how much it would have needed. */
static int report_failure(const struct td_subject *subject, const struct td_graph_spec *spec,
                          const struct td_graph_error *error) {
  td_progress_end();
  if (error->status != TD_GRAPH_NO_RESOURCES)
    return td_complain((int)error->status, "%s", error->text);
  struct tide_heap_stats stats;
  tide_heap_stats(subject->heap, &stats);
  struct td_graph_plan plan;
  td_graph_plan(spec, &plan);
  char need[80] = "";
  if (plan.known)
    snprintf(need, sizeof need, "; the graph's objects alone are %" PRIu64 " MiB",
             (plan.bytes >> 20) + 1);
  return td_complain(TD_EXIT_RESOURCES,
                     "%s (heap limit too small for the graph: %" PRIu64 " MiB in use of %" PRIu64
                     " MiB%s)",
                     error->text, stats.heap_bytes >> 20, stats.heap_max_bytes >> 20, need);
}

/* Refuses what cannot fit before it is begun: filling memory takes minutes and disturbs the whole
 * machine. */
static int refuse_too_large(const struct td_subject *subject, const struct td_graph_spec *spec) {
  struct td_graph_plan plan;
  td_graph_plan(spec, &plan);
  struct tide_heap_stats stats;
  tide_heap_stats(subject->heap, &stats);
  if (!plan.known || plan.bytes <= stats.heap_max_bytes) return TD_EXIT_OK;
  return td_complain(TD_EXIT_RESOURCES,
                     "%s: heap limit too small for the graph: its objects alone are %" PRIu64
                     " MiB, the limit is %" PRIu64 " MiB (--heap-max, TIDE_HEAP_MAX)",
                     spec->text, (plan.bytes >> 20) + 1, stats.heap_max_bytes >> 20);
}

int td_subject_create(const struct td_graph_spec *spec, const struct td_subject_build *build,
                      struct td_subject *subject) {
  *subject = (struct td_subject){.name = spec->text};
  int status = create_heap(build->heap_max_bytes, subject);
  if (status == TD_EXIT_OK) status = refuse_too_large(subject, spec);
  if (status == TD_EXIT_OK) {
    td_graph_tide_progress(subject->graph, report_progress, subject);
    if (build->conservative) td_graph_tide_be_conservative(subject->graph);
    struct td_graph_sink sink;
    td_graph_tide_sink(subject->graph, &sink);
    if (build->wrap) build->wrap(build->context, &sink);
    struct td_graph_error error = {0};
    if (!td_graph_build(spec, &sink, NULL, &error)) status = report_failure(subject, spec, &error);
  }
  if (status != TD_EXIT_OK) td_subject_destroy(subject);
  return status;
}

void td_subject_destroy(struct td_subject *subject) {
  td_graph_tide_free(subject->graph);
  tide_detach(subject->mutator);
  tide_heap_destroy(subject->heap);
  *subject = (struct td_subject){0};
}

int td_subject_set_policy(struct td_subject *subject, const char *policy) {
  struct tide_error error = {0};
  if (tide_heap_set_policy(subject->heap, policy, &error) == TIDE_OK) return TD_EXIT_OK;
  return td_complain(td_exit_of(error.status), "%s", error.text);
}

static int set_engine(struct td_subject *subject, const char *engine) {
  if (strcmp(subject->engine, engine) == 0) return TD_EXIT_OK;
  struct tide_error error = {0};
  if (tide_heap_set_engine(subject->heap, engine, &error) != TIDE_OK)
    return td_complain(td_exit_of(error.status), "%s", error.text);
  snprintf(subject->engine, sizeof subject->engine, "%s", engine);
  return TD_EXIT_OK;
}

static int set_markers(struct td_subject *subject, unsigned markers) {
  if (subject->markers == markers) return TD_EXIT_OK;
  struct tide_error error = {0};
  if (tide_heap_set_markers(subject->heap, markers, &error) != TIDE_OK)
    return td_complain(td_exit_of(error.status), "%s", error.text);
  subject->markers = markers;
  return TD_EXIT_OK;
}

/* Sets the engine and the markers in an order that is always allowed. Every engine can mark with
 * one marker, but not every one with more. So one marker is set before the engine, more are set
 * after it. */
static int configure(struct td_subject *subject, const char *engine, unsigned markers) {
  int status = markers == 1 ? set_markers(subject, 1) : TD_EXIT_OK;
  if (status == TD_EXIT_OK) status = set_engine(subject, engine);
  return status == TD_EXIT_OK ? set_markers(subject, markers) : status;
}

int td_subject_mark(struct td_subject *subject, const char *engine, unsigned markers,
                    struct td_cycle_record *stats, uint64_t *objects) {
  int status = configure(subject, engine, markers);
  if (status != TD_EXIT_OK) return status;
  enum tide_status collected = tide_collect(subject->mutator);
  if (collected != TIDE_OK)
    return td_complain(td_exit_of(collected), "%s: collecting with %s: %s", subject->name, engine,
                       tide_status_text(collected));
  *objects = tide_count_marked(subject->mutator);
  tide_cycle_stats(subject->heap, &stats->all);
  tide_marker_stats(subject->heap, stats->marker, TIDE_MARKERS_MAX);
  return TD_EXIT_OK;
}

int td_subject_check(struct td_subject *subject, struct tide_check *check) {
  enum tide_status status = tide_check_marks(subject->mutator, check);
  if (status == TIDE_OK || status == TIDE_ERROR_CHECK) return TD_EXIT_OK;
  return td_complain(td_exit_of(status), "%s: checking the marks: %s", subject->name,
                     tide_status_text(status));
}
