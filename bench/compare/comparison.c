#include "bench/compare/comparison.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/complain.h"
#include "bench/cli/progress.h"
#include "bench/subject/subject.h"
#include "workloads/thg_read.h"

/* ---- Rows ------------------------------------------------------------------------------ */

struct td_summary td_row_ns_per_object(const struct td_graph_rows *graph,
                                       const struct td_row *row) {
  struct td_summary summary = td_samples_summary(&row->mark_ns);
  double objects = graph->objects ? (double)graph->objects : 1.0;
  summary.median /= objects;
  summary.min /= objects;
  summary.max /= objects;
  return summary;
}

struct td_summary td_row_ratio(const struct td_row *row) {
  static const struct td_samples none;
  return td_samples_ratio(&row->mark_ns, row->base ? &row->base->mark_ns : &none);
}

static const struct td_samples *oracle_of(const struct td_graph_rows *graph,
                                          const struct td_row *row) {
  static const struct td_samples none;
  enum td_tape_order order;
  const struct td_samples *samples = td_oracle_best(&graph->oracle, row->markers, &order);
  return samples ? samples : &none;
}

struct td_summary td_row_to_oracle(const struct td_graph_rows *graph, const struct td_row *row) {
  return td_samples_ratio(&row->mark_ns, oracle_of(graph, row));
}

struct td_summary td_row_oracle(const struct td_graph_rows *graph, const struct td_row *row) {
  struct td_summary summary = td_samples_summary(oracle_of(graph, row));
  double objects = graph->objects ? (double)graph->objects : 1.0;
  summary.median /= objects;
  summary.min /= objects;
  summary.max /= objects;
  return summary;
}

static bool row_is_possible(const struct td_bench_engine *engine, unsigned markers) {
  return !engine->one_marker || markers == 1;
}

static const struct td_row *find_row(const struct td_graph_rows *graph, const char *engine,
                                     unsigned markers) {
  for (size_t i = 0; i < graph->row_count; i++)
    if (strcmp(graph->rows[i].engine.name, engine) == 0 && graph->rows[i].markers == markers)
      return &graph->rows[i];
  return NULL;
}

static int make_rows(const struct td_comparison *comparison, struct td_graph_rows *graph) {
  graph->rows = calloc(comparison->engine_count * comparison->marker_count, sizeof *graph->rows);
  if (!graph->rows) return td_complain(TD_EXIT_RESOURCES, "no memory for the results");
  for (size_t e = 0; e < comparison->engine_count; e++) {
    for (size_t m = 0; m < comparison->marker_count; m++) {
      const struct td_bench_engine *engine = &comparison->engines[e];
      unsigned markers = comparison->markers[m];
      if (!row_is_possible(engine, markers) || find_row(graph, engine->name, markers)) continue;
      struct td_row *row = &graph->rows[graph->row_count++];
      *row = (struct td_row){.engine = *engine, .markers = markers};
      row->base = find_row(graph, comparison->engines[0].name, markers);
      if (engine->kind != TD_ENGINE_TIDE) continue;
      row->cycle = calloc(1, sizeof *row->cycle);
      if (!row->cycle) return td_complain(TD_EXIT_RESOURCES, "no memory for the results");
    }
  }
  return TD_EXIT_OK;
}

static void free_graph(struct td_graph_rows *graph) {
  for (size_t i = 0; i < graph->row_count; i++) {
    struct td_row *row = &graph->rows[i];
    td_samples_free(&row->mark_ns);
    td_samples_free(&row->steals);
    td_samples_free(&row->duplicates);
    free(row->cycle);
    td_boehm_stop(row->boehm);
  }
  free(graph->rows);
  free(graph->profile);
  td_oracle_free(&graph->oracle);
  free(graph->about);
}

void td_comparison_free(struct td_comparison *comparison) {
  for (size_t i = 0; comparison->graphs && i < comparison->graph_count; i++)
    free_graph(&comparison->graphs[i]);
  free(comparison->graphs);
  td_cpus_free(&comparison->cpus);
  td_graph_specs_free(comparison->specs, comparison->graph_count);
  *comparison = (struct td_comparison){0};
}

/* ---- One marking ----------------------------------------------------------------------- */

struct run {
  struct td_comparison *comparison;
  struct td_graph_rows *graph;
  struct td_subject subject;
  struct tide_cycle_stats *cycle; /* scratch: too large for the stack of a careful program */
};

static void note_different(struct run *run, struct td_row *row, const char *difference) {
  row->checked = TD_CHECKED_DIFFERENT;
  run->comparison->different = true;
  td_progress_end();
  td_complain(TD_EXIT_CHECK, "%s: %s with %u marker(s): %s", run->graph->spec->text,
              row->engine.name, row->markers, difference);
}

/* Every marking must find as many objects as the serial one, asked for a check or not. */
static void compare_counts(struct run *run, struct td_row *row) {
  if (row->objects == run->graph->objects) return;
  char text[160];
  snprintf(text, sizeof text, "marked %" PRIu64 " objects where a serial marking finds %" PRIu64,
           row->objects, run->graph->objects);
  note_different(run, row, text);
}

static int add_samples(struct td_row *row, uint64_t mark_ns, const struct tide_cycle_stats *cycle) {
  bool added = td_samples_add(&row->mark_ns, (double)mark_ns);
  if (cycle)
    added = added && td_samples_add(&row->steals, (double)cycle->steals) &&
            td_samples_add(&row->duplicates, (double)cycle->objects - (double)row->objects);
  return added ? TD_EXIT_OK : td_complain(TD_EXIT_RESOURCES, "no memory for the results");
}

static int mark_boehm(struct td_row *row, bool timed) {
  uint64_t mark_ns;
  int status = td_boehm_mark(row->boehm, &mark_ns);
  return status == TD_EXIT_OK && timed ? add_samples(row, mark_ns, NULL) : status;
}

static int mark_tide(struct run *run, struct td_row *row, bool timed) {
  int status =
      td_subject_mark(&run->subject, row->engine.name, row->markers, run->cycle, &row->objects);
  if (status != TD_EXIT_OK) return status;
  row->bytes = run->graph->bytes;
  if (timed) {
    compare_counts(run, row);
    if (row->mark_ns.count == 0 || run->cycle->mark_ns < row->cycle_ns) {
      row->cycle_ns = run->cycle->mark_ns;
      *row->cycle = *run->cycle;
    }
    status = add_samples(row, run->cycle->mark_ns, run->cycle);
  }
  return status;
}

static int mark(struct run *run, struct td_row *row, bool timed) {
  return row->boehm ? mark_boehm(row, timed) : mark_tide(run, row, timed);
}

/* ---- Checking -------------------------------------------------------------------------- */

/* After a marking by the row's engine. */
static int check_tide(struct run *run, struct td_row *row) {
  struct tide_check check;
  int status = td_subject_check(&run->subject, &check);
  if (status != TD_EXIT_OK) return status;
  if (check.equal)
    row->checked = TD_CHECKED_EQUAL;
  else
    note_different(run, row, check.difference);
  return TD_EXIT_OK;
}

/* In the child, against a recording of the graph: another process cannot see the objects. */
static int check_boehm(struct run *run, struct td_row *row) {
  int status = td_boehm_count(row->boehm, &row->objects, &row->bytes);
  if (status != TD_EXIT_OK) return status;
  compare_counts(run, row);
  if (!run->comparison->check) return TD_EXIT_OK;
  uint64_t missing, extra;
  status = td_boehm_check(row->boehm, &missing, &extra);
  if (status != TD_EXIT_OK || row->checked == TD_CHECKED_DIFFERENT) return status;
  row->checked = TD_CHECKED_EQUAL;
  if (missing == 0 && extra == 0) return TD_EXIT_OK;
  char text[160];
  snprintf(text, sizeof text,
           "%" PRIu64 " live object(s) not marked, %" PRIu64 " marked that are not live", missing,
           extra);
  note_different(run, row, text);
  return TD_EXIT_OK;
}

/* What is live, by the serial marking, which knows nothing of queues and markers. */
static int read_truth(struct run *run) {
  uint64_t objects;
  int status = td_subject_mark(&run->subject, "serial", 1, run->cycle, &objects);
  struct tide_check check;
  if (status == TD_EXIT_OK) status = td_subject_check(&run->subject, &check);
  if (status != TD_EXIT_OK) return status;
  run->graph->objects = check.objects;
  run->graph->edges = check.edges;
  run->graph->bytes = check.bytes;
  return TD_EXIT_OK;
}

/* ---- Rounds ---------------------------------------------------------------------------- */

static int warm_up(struct run *run) {
  int status = read_truth(run);
  for (size_t i = 0; i < run->graph->row_count && status == TD_EXIT_OK; i++) {
    struct td_row *row = &run->graph->rows[i];
    char what[128];
    snprintf(what, sizeof what, "%.20s: warming up%s: %s", run->graph->label,
             run->comparison->check ? " and checking" : "", row->engine.name);
    td_progress(what, i, run->graph->row_count);
    status = mark(run, row, false);
    if (status != TD_EXIT_OK) break;
    if (row->boehm)
      status = check_boehm(run, row);
    else if (run->comparison->check)
      status = check_tide(run, row);
  }
  return status;
}

static size_t common_divisor(size_t a, size_t b) {
  return b == 0 ? a : common_divisor(b, a % b);
}

/* A row finds the caches as the one before has left them, a heap of another collector in them
 * perhaps: so the rounds take the rows by different strides, and nobody always follows the same. */
static size_t stride_of(unsigned round, size_t rows) {
  size_t stride = 1 + round % rows;
  while (common_divisor(stride, rows) != 1)
    stride++;
  return stride;
}

static int one_round(struct run *run, unsigned round) {
  size_t rows = run->graph->row_count, stride = stride_of(round, rows);
  for (size_t i = 0; i < rows; i++) {
    struct td_row *row = &run->graph->rows[(i * stride + round) % rows];
    char what[128];
    snprintf(what, sizeof what, "%.28s: round %u of %u: %s", run->graph->label, round + 1,
             run->comparison->rounds, row->engine.name);
    td_progress(what, round * rows + i, run->comparison->rounds * rows);
    int status = mark(run, row, true);
    if (status != TD_EXIT_OK) return status;
  }
  return run->comparison->limit ? td_oracle_round(&run->graph->oracle) : TD_EXIT_OK;
}

/* Each guest holds the graph once more: is there room? Its heap is a little larger than ours,
 * and it keeps a list of the objects. */
static int refuse_guests(const struct run *run) {
  uint64_t guests = 0;
  for (size_t i = 0; i < run->graph->row_count; i++)
    guests += run->graph->rows[i].engine.kind != TD_ENGINE_TIDE;
  struct tide_heap_stats stats;
  tide_heap_stats(run->subject.heap, &stats);
  uint64_t need = guests * (stats.heap_bytes + stats.heap_bytes / 2);
  uint64_t available = td_host_memory_available();
  if (need <= available) return TD_EXIT_OK;
  return td_complain(TD_EXIT_RESOURCES,
                     "%s: %" PRIu64 " Boehm GC processes need about %" PRIu64 " MiB; %" PRIu64
                     " MiB are available",
                     run->graph->spec->text, guests, need >> 20, available >> 20);
}

/* The limit that the user set, by option or by TIDE_HEAP_MAX, holds for guests too. */
static uint64_t guest_limit(const struct run *run) {
  const char *environment = getenv("TIDE_HEAP_MAX");
  if (run->comparison->heap_max_bytes == 0 && (!environment || !*environment)) return 0;
  struct tide_heap_stats stats;
  tide_heap_stats(run->subject.heap, &stats);
  return stats.heap_max_bytes;
}

static int start_guests(struct run *run) {
  int refused = refuse_guests(run);
  if (refused != TD_EXIT_OK) return refused;
  for (size_t i = 0; i < run->graph->row_count; i++) {
    struct td_row *row = &run->graph->rows[i];
    if (row->engine.kind == TD_ENGINE_TIDE) continue;
    int status =
        td_boehm_start(run->graph->spec->text, row->markers,
                       row->engine.kind == TD_ENGINE_BOEHM_TYPED, guest_limit(run), &row->boehm);
    if (status != TD_EXIT_OK) return status;
  }
  return TD_EXIT_OK;
}

static void stop_guests(struct td_graph_rows *graph) {
  for (size_t i = 0; i < graph->row_count; i++) {
    td_boehm_stop(graph->rows[i].boehm);
    graph->rows[i].boehm = NULL;
  }
}

/* A recorded graph is read once, for its shape and for what it says of itself. */
static bool profile_file(struct td_graph_rows *graph, struct td_graph_error *error) {
  struct td_thg recording;
  struct td_thg_error read_error = {0};
  if (!td_thg_read(graph->spec->path, &recording, &read_error))
    return td_graph_fail(
        error, read_error.kind == TD_THG_BAD_INPUT ? TD_GRAPH_BAD_FILE : TD_GRAPH_NO_RESOURCES,
        "%s", read_error.text);
  if (recording.about) graph->about = strdup(recording.about);
  bool done = td_graph_profile_thg(&recording, graph->label, graph->profile, error);
  td_thg_free(&recording);
  return done;
}

/* After the measuring, when the heaps are gone: it needs memory of its own. */
static int profile_graph(struct td_graph_rows *graph) {
  char what[96];
  snprintf(what, sizeof what, "describing %.64s", graph->label);
  graph->profile = calloc(1, sizeof *graph->profile);
  if (!graph->profile) return td_complain(TD_EXIT_RESOURCES, "no memory for the results");
  struct td_graph_error error = {0};
  td_progress_watch(what);
  bool done = graph->spec->path ? profile_file(graph, &error)
                                : td_graph_profile(graph->spec, graph->profile, &error);
  td_progress_unwatch();
  return done ? TD_EXIT_OK : td_complain((int)error.status, "%s", error.text);
}

/* The heap with the graph, and the oracle that knows it. */
static int build(struct run *run) {
  const struct td_comparison *comparison = run->comparison;
  const struct td_graph_spec *spec = run->graph->spec;
  if (!comparison->limit) return td_subject_create(spec, comparison->heap_max_bytes, &run->subject);
  struct td_places places = {0};
  int status = td_subject_create_through(spec, comparison->heap_max_bytes, td_places_wrap, &places,
                                         &run->subject);
  if (status == TD_EXIT_OK) {
    status = td_oracle_init(&run->graph->oracle, spec, &places, &comparison->cpus,
                            comparison->markers, comparison->marker_count);
    if (status != TD_EXIT_OK) td_subject_destroy(&run->subject);
  }
  td_places_free(&places);
  return status;
}

static int run_graph(struct run *run) {
  td_progress_begin();
  int status = make_rows(run->comparison, run->graph);
  if (status == TD_EXIT_OK) status = build(run);
  if (status != TD_EXIT_OK) return status;
  status = start_guests(run);
  if (status == TD_EXIT_OK) status = warm_up(run);
  for (unsigned round = 0; round < run->comparison->rounds && status == TD_EXIT_OK; round++)
    status = one_round(run, round);
  if (status == TD_EXIT_OK && run->comparison->trace)
    status = td_trace_record(run->comparison->trace, &run->subject, run->graph->rows[0].engine.name,
                             run->graph->rows[0].markers);
  stop_guests(run->graph);
  td_oracle_end(&run->graph->oracle);
  td_subject_destroy(&run->subject);
  if (status == TD_EXIT_OK && run->comparison->profile) status = profile_graph(run->graph);
  td_progress_end();
  return status;
}

/* "file:/long/way/javac.thg" is "file:javac.thg" in a table. */
static const char *label_of(const struct td_graph_spec *spec) {
  const char *slash = spec->path ? strrchr(spec->path, '/') : NULL;
  return slash ? slash + 1 : spec->text;
}

int td_comparison_run(struct td_comparison *comparison) {
  td_host_read(&comparison->host);
  comparison->graphs = calloc(comparison->graph_count, sizeof *comparison->graphs);
  struct run run = {.comparison = comparison, .cycle = malloc(sizeof *run.cycle)};
  int status = TD_EXIT_OK;
  if (!comparison->graphs || !run.cycle)
    status = td_complain(TD_EXIT_RESOURCES, "no memory for the results");
  if (comparison->limit && !td_cpus_read(&comparison->cpus))
    status = td_complain(TD_EXIT_RESOURCES, "no memory for the oracle");
  for (size_t i = 0; i < comparison->graph_count && status == TD_EXIT_OK; i++) {
    run.graph = &comparison->graphs[i];
    run.graph->spec = &comparison->specs[i];
    run.graph->label = label_of(run.graph->spec);
    status = run_graph(&run);
  }
  free(run.cycle);
  return status;
}
