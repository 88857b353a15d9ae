/* SPDX-License-Identifier: MIT */
#include "bench/compare/rows.h"

#include "bench/cli/complain.h"
#include "bench/cli/document.h"
#include "bench/cli/figures.h"

/* Writes the median, or null where the engine counts no such thing. */
static void json_median(struct td_json *json, const char *key, const struct td_row *row,
                        const struct td_samples *samples) {
  if (row->cycle)
    td_json_real(json, key, td_samples_summary(samples).median);
  else
    td_json_null(json, key);
}

static void json_marker(struct td_json *json, const struct tide_marker_stats *m, unsigned number) {
  td_json_object_begin(json, NULL);
  td_json_count(json, "marker", number);
  td_json_count(json, "objects", m->objects);
  td_json_count(json, "steals", m->steals);
  td_json_count(json, "stolen_items", m->stolen_items);
  td_json_count(json, "failed_steals", m->failed_steals);
  td_json_count(json, "grants", m->grants);
  td_json_count(json, "parks", m->parks);
  td_json_count(json, "wakes", m->wakes);
  td_json_count(json, "overflows", m->overflows);
  td_json_count(json, "region_visits", m->region_visits);
  td_json_count(json, "region_references", m->region_references);
  td_json_count(json, "region_objects", m->region_objects);
  td_json_count(json, "region_ns", m->region_ns);
  td_json_count(json, "test_objects", m->test_objects);
  td_json_count(json, "test_references", m->test_references);
  td_json_count(json, "test_ns", m->test_ns);
  td_json_real(json, "window_mean",
               m->window_samples ? (double)m->window_sum / (double)m->window_samples : 0.0);
  td_json_count(json, "roots_ns", m->roots_ns);
  td_json_count(json, "trace_ns", m->trace_ns);
  td_json_count(json, "idle_ns", m->idle_ns);
  td_json_count(json, "started_ns", m->started_ns);
  td_json_count(json, "ended_ns", m->ended_ns);
  td_json_object_end(json);
}

static void json_cycle(struct td_json *json, const char *key, const struct td_cycle_record *cycle) {
  td_json_object_begin(json, key);
  td_json_count(json, "markers", cycle->all.markers);
  td_json_count(json, "recruited", cycle->all.recruited);
  td_json_count(json, "stop_ns", cycle->all.stop_ns);
  td_json_count(json, "mark_ns", cycle->all.mark_ns);
  td_json_count(json, "region_pool_bytes", cycle->all.region_pool_bytes);
  td_json_count(json, "weak_ns", cycle->all.weak_ns);
  td_json_count(json, "sweep_ns", cycle->all.sweep_ns);
  td_json_count(json, "pause_ns", cycle->all.pause_ns);
  td_json_array_begin(json, "marker");
  for (unsigned i = 0; i < cycle->all.markers; i++)
    json_marker(json, &cycle->marker[i], i);
  td_json_array_end(json);
  td_json_object_end(json);
}

/* Names the engines that these rounds cannot tell apart from the row's. */
static void json_alike(struct td_json *json, const struct td_graph_rows *graph,
                       const struct td_row *row) {
  td_json_differs(json, "differs_from_first", &row->mark_ns,
                  row->base ? &row->base->mark_ns : NULL);
  td_json_array_begin(json, "cannot_be_told_from");
  for (size_t i = 0; i < graph->row_count; i++)
    if (td_rows_alike(row, &graph->rows[i]))
      td_json_string(json, NULL, graph->rows[i].engine.label);
  td_json_array_end(json);
}

/* Boehm GC marks in another process, whose switches are not counted: null. */
static void json_noise(struct td_json *json, const struct td_row *row) {
  td_json_real(json, "stolen_ms", row->noise.stolen_ms);
  if (row->cycle)
    td_json_count(json, "involuntary_switches", row->noise.preempted);
  else
    td_json_null(json, "involuntary_switches");
}

/* Where the median of the ratio lies, 19 times in 20, and whether that is narrow enough. */
static void json_known(struct td_json *json, const struct td_row *row,
                       const struct td_summary *ratio) {
  td_json_object_begin(json, "ratio_to_first_interval");
  td_json_real(json, "low", ratio->sure_low);
  td_json_real(json, "high", ratio->sure_high);
  td_json_object_end(json);
  if (td_row_is_compared(row))
    td_json_bool(json, "ratio_is_known", td_row_is_known(row));
  else
    td_json_null(json, "ratio_is_known");
}

/* What the rounds were to be, and what "known" means. */
static void json_rounds(struct td_json *json, const struct td_comparison *comparison) {
  td_json_object_begin(json, "repeat");
  td_json_count(json, "rounds", comparison->rounds);
  td_json_real(json, "seconds", comparison->seconds);
  td_json_real(json, "known_to", TD_RATIO_DOUBT);
  td_json_string(json, "method",
                 "95 % order-statistic interval of the median of the ratios, taken round by round");
  td_json_array_begin(json, "out_of_time");
  for (size_t g = 0; g < comparison->graph_count; g++)
    if (comparison->graphs[g].out_of_time)
      td_json_string(json, NULL, comparison->graphs[g].spec->text);
  td_json_array_end(json);
  td_json_object_end(json);
}

static void json_row(struct td_json *json, const struct td_comparison *comparison,
                     const struct td_graph_rows *graph, const struct td_row *row) {
  struct td_summary ratio = td_row_ratio(row);
  td_json_object_begin(json, NULL);
  td_json_string(json, "graph", graph->spec->text);
  td_json_string(json, "engine", row->engine.name);
  td_json_string(json, "object_kind", td_objects_name(row->engine.objects));
  td_json_string(json, "policy", row->engine.kind == TD_ENGINE_TIDE ? comparison->policy : NULL);
  td_json_count(json, "markers", row->markers);
  td_json_count(json, "rounds", row->mark_ns.count);
  td_json_count(json, "objects", row->objects);
  td_json_count(json, "edges", graph->edges);
  td_json_count(json, "live_bytes", row->bytes);
  td_json_summary(json, "mark_ns_per_object", td_row_ns_per_object(graph, row));
  td_json_summary(json, "mark_ns", td_samples_summary(&row->mark_ns));
  td_json_real(json, "ratio_to_first", ratio.median);
  td_json_summary(json, "ratio_to_first_spread", ratio);
  json_known(json, row, &ratio);
  json_alike(json, graph, row);
  td_json_real(json, "oracle_ns_per_object", td_row_oracle(graph, row).median);
  td_json_real(json, "ratio_to_oracle", td_row_to_oracle(graph, row).median);
  td_json_real(json, "replay_ns_per_object", td_row_replay(graph, row).median);
  td_json_real(json, "ratio_to_replay", td_row_to_replay(graph, row).median);
  json_median(json, "steals", row, &row->steals);
  json_median(json, "duplicates", row, &row->duplicates);
  if (row->cycle)
    td_json_count(json, "recruited", row->cycle->all.recruited);
  else
    td_json_null(json, "recruited");
  json_noise(json, row);
  if (row->instructions && !row->boehm)
    td_json_real(json, "instructions_per_object",
                 (double)row->instructions / ((double)row->mark_ns.count * (double)graph->objects));
  else
    td_json_null(json, "instructions_per_object");
  if (row->checked == TD_NOT_CHECKED)
    td_json_null(json, "checked");
  else
    td_json_bool(json, "checked", row->checked != TD_CHECKED_DIFFERENT);
  td_json_count(json, "objects_more",
                row->objects > graph->objects ? row->objects - graph->objects : 0);
  if (comparison->details && row->cycle) json_cycle(json, "fastest_round", row->cycle);
  td_json_object_end(json);
}

int td_compare_json(const struct td_comparison *comparison, const char *path) {
  if (!path) return TD_EXIT_OK;
  struct td_document document;
  int status = td_document_begin(&document, path, &comparison->host);
  if (status != TD_EXIT_OK) return status;
  td_json_string(&document.json, "objects", td_comparison_objects(comparison));
  json_rounds(&document.json, comparison);
  td_json_array_begin(&document.json, "rows");
  for (size_t g = 0; g < comparison->graph_count; g++)
    for (size_t i = 0; i < comparison->graphs[g].row_count; i++)
      json_row(&document.json, comparison, &comparison->graphs[g], &comparison->graphs[g].rows[i]);
  td_json_array_end(&document.json);
  return td_document_commit(&document);
}
