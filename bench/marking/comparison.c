/* SPDX-License-Identifier: MIT */
#include "bench/marking/comparison.h"

#include <stdlib.h>
#include <string.h>

#include "bench/cli/complain.h"

/* ---- Rows ------------------------------------------------------------------------------ */

static double objects_of(const struct td_graph_rows *graph) {
  return graph->objects ? (double)graph->objects : 1.0;
}

struct td_summary td_row_ns_per_object(const struct td_graph_rows *graph,
                                       const struct td_row *row) {
  return td_summary_over(td_samples_summary(&row->mark_ns), objects_of(graph));
}

/* An empty series, where there is nothing to compare with. */
static const struct td_samples none;

struct td_summary td_row_ratio(const struct td_row *row) {
  return td_samples_ratio(&row->mark_ns, row->base ? &row->base->mark_ns : &none);
}

bool td_row_is_compared(const struct td_row *row) {
  return row->base && row->base != row;
}

bool td_row_is_known(const struct td_row *row) {
  struct td_summary ratio = td_row_ratio(row);
  return td_row_is_compared(row) && td_summary_doubt(&ratio) <= TD_RATIO_DOUBT;
}

bool td_graph_is_known(const struct td_graph_rows *graph) {
  for (size_t i = 0; i < graph->row_count; i++)
    if (td_row_is_compared(&graph->rows[i]) && !td_row_is_known(&graph->rows[i])) return false;
  return true;
}

void td_comparison_rounds(const struct td_comparison *comparison, unsigned *fewest,
                          unsigned *most) {
  *fewest = *most = comparison->graphs[0].rounds;
  for (size_t g = 1; g < comparison->graph_count; g++) {
    unsigned rounds = comparison->graphs[g].rounds;
    if (rounds < *fewest) *fewest = rounds;
    if (rounds > *most) *most = rounds;
  }
}

bool td_rows_alike(const struct td_row *a, const struct td_row *b) {
  if (!a || !b || a == b || a->markers != b->markers) return false;
  return !td_samples_differ(&a->mark_ns, &b->mark_ns);
}

static const struct td_samples *oracle_of(const struct td_graph_rows *graph,
                                          const struct td_row *row) {
  enum td_tape_order order;
  const struct td_samples *samples = td_oracle_best(&graph->oracle, row->markers, &order);
  return samples ? samples : &none;
}

static const struct td_samples *replay_of(const struct td_graph_rows *graph,
                                          const struct td_row *row) {
  const struct td_samples *samples = td_oracle_replay(&graph->oracle, row->markers);
  return samples ? samples : &none;
}

struct td_summary td_row_to_replay(const struct td_graph_rows *graph, const struct td_row *row) {
  return td_samples_ratio(&row->mark_ns, replay_of(graph, row));
}

struct td_summary td_row_replay(const struct td_graph_rows *graph, const struct td_row *row) {
  return td_summary_over(td_samples_summary(replay_of(graph, row)), objects_of(graph));
}

struct td_summary td_row_to_oracle(const struct td_graph_rows *graph, const struct td_row *row) {
  return td_samples_ratio(&row->mark_ns, oracle_of(graph, row));
}

struct td_summary td_row_oracle(const struct td_graph_rows *graph, const struct td_row *row) {
  return td_summary_over(td_samples_summary(oracle_of(graph, row)), objects_of(graph));
}

static bool row_is_possible(const struct td_bench_engine *engine, unsigned markers) {
  return !engine->one_marker || markers == 1;
}

const char *td_comparison_objects(const struct td_comparison *comparison) {
  bool tide = false, found[TD_OBJECTS_KINDS] = {false};
  for (size_t e = 0; e < comparison->engine_count; e++)
    tide = tide || comparison->engines[e].kind == TD_ENGINE_TIDE;
  for (size_t e = 0; e < comparison->engine_count; e++)
    if (!tide || comparison->engines[e].kind == TD_ENGINE_TIDE)
      found[comparison->engines[e].objects] = true;
  if (found[TD_OBJECTS_PRECISE] && found[TD_OBJECTS_CONSERVATIVE]) return "precise,conservative";
  return td_objects_name(found[TD_OBJECTS_PRECISE] ? TD_OBJECTS_PRECISE : TD_OBJECTS_CONSERVATIVE);
}

const struct td_row *td_graph_row(const struct td_graph_rows *graph, const char *engine,
                                  unsigned markers) {
  for (size_t i = 0; i < graph->row_count; i++)
    if (strcmp(graph->rows[i].engine.label, engine) == 0 && graph->rows[i].markers == markers)
      return &graph->rows[i];
  return NULL;
}

int td_graph_rows_make(const struct td_comparison *comparison, struct td_graph_rows *graph) {
  graph->rows = calloc(comparison->engine_count * comparison->marker_count, sizeof *graph->rows);
  if (!graph->rows) return td_complain(TD_EXIT_RESOURCES, "not enough memory for the results");
  for (size_t e = 0; e < comparison->engine_count; e++) {
    for (size_t m = 0; m < comparison->marker_count; m++) {
      const struct td_bench_engine *engine = &comparison->engines[e];
      unsigned markers = comparison->markers[m];
      if (!row_is_possible(engine, markers) || td_graph_row(graph, engine->label, markers))
        continue;
      struct td_row *row = &graph->rows[graph->row_count++];
      *row = (struct td_row){.engine = *engine, .markers = markers};
      row->base = td_graph_row(graph, comparison->engines[0].label, markers);
      if (engine->kind != TD_ENGINE_TIDE) continue;
      row->cycle = calloc(1, sizeof *row->cycle);
      if (!row->cycle) return td_complain(TD_EXIT_RESOURCES, "not enough memory for the results");
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
