/* SPDX-License-Identifier: MIT */
#include "bench/marking/measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cli/clock.h"
#include "bench/cli/complain.h"
#include "bench/cli/progress.h"
#include "bench/marking/guests.h"
#include "bench/marking/instructions.h"
#include "bench/marking/shape.h"
#include "bench/subject/subject.h"

#define ROUNDS_MAX 100000u /* of tiny graphs; they are known long before */
#define LOOK_SELDOM 32u    /* rounds from which on it does not look after each */

/* ---- One marking ----------------------------------------------------------------------- */

struct work {
  struct td_comparison *comparison;
  struct td_graph_rows *graph;
  struct td_subject subject[TD_OBJECTS_KINDS]; /* all zero where no row wants it */
  uint64_t rounds_began_ns;
  struct td_cycle_record *cycle; /* scratch: too large for the stack of a careful program */
  int instructions;              /* the file that counts them, or -1 */
};

static void note_different(struct work *work, struct td_row *row, const char *difference) {
  row->checked = TD_CHECKED_DIFFERENT;
  work->comparison->different = true;
  td_progress_end();
  td_complain(TD_EXIT_CHECK, "%s: %s with %u marker(s): %s", work->graph->spec->text,
              row->engine.label, row->markers, difference);
}

/* Every marking must find as many objects as the serial one, whether or not --check was given. */
static void compare_counts(struct work *work, struct td_row *row) {
  if (row->objects == work->graph->objects) return;
  char text[160];
  snprintf(text, sizeof text, "marked %" PRIu64 " objects where a serial marking finds %" PRIu64,
           row->objects, work->graph->objects);
  note_different(work, row, text);
}

/* Boehm GC is conservative: a word in one of its own registers may keep an object that is not live.
 * One object in a thousand changes no figure. */
static bool is_little_more(const struct work *work, const struct td_row *row) {
  uint64_t live = work->graph->objects;
  return row->objects > live && row->objects - live <= live / 1000;
}

static int add_samples(struct td_row *row, uint64_t mark_ns, const struct td_cycle_record *cycle) {
  bool added = td_samples_add(&row->mark_ns, (double)mark_ns);
  if (cycle)
    added = added && td_samples_add(&row->steals, (double)cycle->all.steals) &&
            td_samples_add(&row->duplicates, (double)cycle->all.objects - (double)row->objects);
  return added ? TD_EXIT_OK : td_complain(TD_EXIT_RESOURCES, "not enough memory for the results");
}

static int mark_boehm(struct td_row *row, bool timed) {
  uint64_t mark_ns;
  int status = td_boehm_mark(row->boehm, &mark_ns);
  return status == TD_EXIT_OK && timed ? add_samples(row, mark_ns, NULL) : status;
}

static int mark_tide(struct work *work, struct td_row *row, bool timed) {
  int status = td_subject_mark(&work->subject[row->engine.objects], row->engine.name, row->markers,
                               work->cycle, &row->objects);
  if (status != TD_EXIT_OK) return status;
  row->bytes = work->graph->bytes;
  if (timed) {
    compare_counts(work, row);
    if (row->mark_ns.count == 0 || work->cycle->all.mark_ns < row->cycle_ns) {
      row->cycle_ns = work->cycle->all.mark_ns;
      *row->cycle = *work->cycle;
    }
    status = add_samples(row, work->cycle->all.mark_ns, work->cycle);
  }
  return status;
}

static int mark(struct work *work, struct td_row *row, bool timed) {
  return row->boehm ? mark_boehm(row, timed) : mark_tide(work, row, timed);
}

/* Marks, and counts what the machine did meanwhile. */
static int mark_timed(struct work *work, struct td_row *row) {
  struct td_noise_count before;
  td_noise_read(&before);
  const uint64_t instructions = td_instructions_read(work->instructions);
  int status = mark(work, row, true);
  row->instructions += td_instructions_read(work->instructions) - instructions;
  td_noise_add_since(&row->noise, &before);
  return status;
}

/* ---- Checking -------------------------------------------------------------------------- */

/* To be called after a marking by the row's engine. */
static int check_tide(struct work *work, struct td_row *row) {
  struct tide_check check;
  int status = td_subject_check(&work->subject[row->engine.objects], &check);
  if (status != TD_EXIT_OK) return status;
  if (check.equal)
    row->checked = TD_CHECKED_EQUAL;
  else
    note_different(work, row, check.difference);
  return TD_EXIT_OK;
}

/* The child compares with a recording of the graph, as this process cannot see its objects. */
static int check_boehm(struct work *work, struct td_row *row) {
  int status = td_boehm_count(row->boehm, &row->objects, &row->bytes);
  if (status != TD_EXIT_OK) return status;
  bool more = is_little_more(work, row);
  if (!more) compare_counts(work, row);
  if (!work->comparison->check) return TD_EXIT_OK;
  uint64_t missing, extra;
  status = td_boehm_check(row->boehm, &missing, &extra);
  if (status != TD_EXIT_OK || row->checked == TD_CHECKED_DIFFERENT) return status;
  row->checked = more ? TD_CHECKED_MORE : TD_CHECKED_EQUAL;
  if (missing == 0 && (more || extra == 0)) return TD_EXIT_OK;
  char text[160];
  snprintf(text, sizeof text,
           "%" PRIu64 " live object(s) not marked, %" PRIu64 " marked that are not live", missing,
           extra);
  note_different(work, row, text);
  return TD_EXIT_OK;
}

/* Returns the heap that stands for the graph: any will do, as all hold the same one. */
static struct td_subject *any_subject(struct work *work) {
  bool precise = work->subject[TD_OBJECTS_PRECISE].heap != NULL;
  return &work->subject[precise ? TD_OBJECTS_PRECISE : TD_OBJECTS_CONSERVATIVE];
}

/* Finds out what is live by the serial marking, which shares no code with queues and markers. */
static int read_truth(struct work *work) {
  uint64_t objects;
  struct td_subject *subject = any_subject(work);
  int status = td_subject_mark(subject, "serial", 1, work->cycle, &objects);
  struct tide_check check;
  if (status == TD_EXIT_OK) status = td_subject_check(subject, &check);
  if (status != TD_EXIT_OK) return status;
  work->graph->objects = check.objects;
  work->graph->edges = check.edges;
  work->graph->bytes = check.bytes;
  return TD_EXIT_OK;
}

/* ---- Rounds ---------------------------------------------------------------------------- */

static int warm_up(struct work *work) {
  int status = read_truth(work);
  for (size_t i = 0; i < work->graph->row_count && status == TD_EXIT_OK; i++) {
    struct td_row *row = &work->graph->rows[i];
    char what[128];
    snprintf(what, sizeof what, "%.20s: warming up%s: %s", work->graph->label,
             work->comparison->check ? " and checking" : "", row->engine.label);
    td_progress(what, i, work->graph->row_count);
    status = mark(work, row, false);
    if (status != TD_EXIT_OK) break;
    if (row->boehm)
      status = check_boehm(work, row);
    else if (work->comparison->check)
      status = check_tide(work, row);
  }
  return status;
}

static size_t common_divisor(size_t a, size_t b) {
  return b == 0 ? a : common_divisor(b, a % b);
}

/* Returns by how many rows a round goes on from one to the next. A row finds the caches as the one
 * before has left them, perhaps full of another collector's heap. With a new stride each round, no
 * row always follows the same one. */
static size_t stride_of(unsigned round, size_t rows) {
  size_t stride = 1 + round % rows;
  while (common_divisor(stride, rows) != 1)
    stride++;
  return stride;
}

/* Tells of the rounds that are certain; of those beyond, how much of their time is over. */
static void show_progress(const struct work *work, const struct td_row *row, unsigned round,
                          size_t at) {
  const struct td_comparison *comparison = work->comparison;
  size_t rows = work->graph->row_count;
  char what[128];
  if (round < comparison->rounds) {
    snprintf(what, sizeof what, "%.28s: round %u of %u: %s", work->graph->label, round + 1,
             comparison->rounds, row->engine.label);
    td_progress(what, round * rows + at, comparison->rounds * rows);
  } else {
    snprintf(what, sizeof what, "%.28s: round %u, until ratios are known: %s", work->graph->label,
             round + 1, row->engine.label);
    td_progress(what, td_now_ns() - work->rounds_began_ns, (uint64_t)(comparison->seconds * 1e9));
  }
}

static int one_round(struct work *work, unsigned round) {
  size_t rows = work->graph->row_count, stride = stride_of(round, rows);
  for (size_t i = 0; i < rows; i++) {
    struct td_row *row = &work->graph->rows[(i * stride + round) % rows];
    show_progress(work, row, round, i);
    int status = mark_timed(work, row);
    if (status != TD_EXIT_OK) return status;
  }
  return work->comparison->limit ? td_oracle_round(&work->graph->oracle) : TD_EXIT_OK;
}

/* Returns whether there is to be another round. What is known is looked at the more seldom the more
 * rounds there were: sorting thousands of ratios takes longer than a round of a small graph. */
static bool go_on(struct work *work, unsigned done) {
  const struct td_comparison *comparison = work->comparison;
  if (done < comparison->rounds) return true;
  if (comparison->seconds <= 0) return false;
  bool is_over = (double)(td_now_ns() - work->rounds_began_ns) >= comparison->seconds * 1e9;
  if (!is_over && done >= LOOK_SELDOM && done % (done / LOOK_SELDOM + 1) != 0) return true;
  bool known = td_graph_is_known(work->graph);
  work->graph->out_of_time = !known;
  return !known && !is_over && done < ROUNDS_MAX;
}

static int all_rounds(struct work *work) {
  int status = TD_EXIT_OK;
  work->rounds_began_ns = td_now_ns();
  unsigned *done = &work->graph->rounds;
  for (; status == TD_EXIT_OK && go_on(work, *done); ++*done)
    status = one_round(work, *done);
  return status;
}

/* Returns whether a row wants a heap with objects of that kind. Without such a row, a precise one
 * is the graph that others are compared with. */
static bool is_wanted(const struct td_comparison *comparison, enum td_objects objects) {
  bool tide = false;
  for (size_t e = 0; e < comparison->engine_count; e++) {
    if (comparison->engines[e].kind != TD_ENGINE_TIDE) continue;
    if (comparison->engines[e].objects == objects) return true;
    tide = true;
  }
  return !tide && objects == TD_OBJECTS_PRECISE;
}

/* Builds the oracle that knows where the heap's objects are. */
static int build_oracle(struct work *work, const struct td_places *places) {
  const struct td_comparison *comparison = work->comparison;
  return td_oracle_init(&work->graph->oracle, work->graph->spec, places, &comparison->cpus,
                        comparison->markers, comparison->marker_count);
}

/* Builds the graph on a heap for each kind of objects and, if asked for, an oracle for the first.
 */
static int build(struct work *work) {
  const struct td_comparison *comparison = work->comparison;
  struct td_places places = {0};
  struct td_subject_build how = {.heap_max_bytes = comparison->heap_max_bytes, .context = &places};
  if (comparison->limit) how.wrap = td_places_wrap;
  int status = TD_EXIT_OK;
  for (unsigned kind = 0; kind < TD_OBJECTS_KINDS && status == TD_EXIT_OK; kind++) {
    if (!is_wanted(comparison, (enum td_objects)kind)) continue;
    how.conservative = places.conservative = kind == TD_OBJECTS_CONSERVATIVE;
    status = td_subject_create(work->graph->spec, &how, &work->subject[kind]);
    if (status == TD_EXIT_OK)
      status = td_subject_set_policy(&work->subject[kind], comparison->policy);
    if (status == TD_EXIT_OK && how.wrap) status = build_oracle(work, &places);
    how.wrap = NULL;
  }
  td_places_free(&places);
  return status;
}

static int run_graph(struct work *work) {
  td_progress_begin();
  int status = td_graph_rows_make(work->comparison, work->graph);
  if (status == TD_EXIT_OK) status = build(work);
  if (status == TD_EXIT_OK)
    status =
        td_guests_start(work->graph, any_subject(work)->heap, work->comparison->heap_max_bytes);
  if (status == TD_EXIT_OK) status = warm_up(work);
  if (status == TD_EXIT_OK) status = all_rounds(work);
  if (status == TD_EXIT_OK && work->comparison->trace)
    status = td_trace_record(work->comparison->trace,
                             &work->subject[work->graph->rows[0].engine.objects],
                             work->graph->rows[0].engine.name, work->graph->rows[0].markers);
  td_guests_stop(work->graph);
  td_oracle_end(&work->graph->oracle);
  for (unsigned kind = 0; kind < TD_OBJECTS_KINDS; kind++)
    td_subject_destroy(&work->subject[kind]);
  if (status == TD_EXIT_OK && work->comparison->profile) status = td_shape_read(work->graph);
  td_progress_end();
  return status;
}

/* Returns a short name for tables: "javac.thg" for "file:/long/way/javac.thg". */
static const char *label_of(const struct td_graph_spec *spec) {
  const char *slash = spec->path ? strrchr(spec->path, '/') : NULL;
  return slash ? slash + 1 : spec->text;
}

int td_comparison_measure(struct td_comparison *comparison) {
  td_host_read(&comparison->host);
  td_noise_begin(&comparison->host.noise);
  comparison->graphs = calloc(comparison->graph_count, sizeof *comparison->graphs);
  struct work work = {.comparison = comparison,
                      .cycle = malloc(sizeof *work.cycle),
                      .instructions = td_instructions_open()};
  int status = TD_EXIT_OK;
  if (!comparison->graphs || !work.cycle)
    status = td_complain(TD_EXIT_RESOURCES, "not enough memory for the results");
  if (comparison->limit && !td_cpus_read(&comparison->cpus))
    status = td_complain(TD_EXIT_RESOURCES, "not enough memory for the oracle");
  for (size_t i = 0; i < comparison->graph_count && status == TD_EXIT_OK; i++) {
    work.graph = &comparison->graphs[i];
    work.graph->spec = &comparison->specs[i];
    work.graph->label = label_of(work.graph->spec);
    status = run_graph(&work);
  }
  td_noise_end(&comparison->host.noise);
  free(work.cycle);
  if (work.instructions >= 0) close(work.instructions);
  return status;
}
