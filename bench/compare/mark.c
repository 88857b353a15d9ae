/* SPDX-License-Identifier: MIT */
/* tidemark mark: one engine on one graph, and what each marker did in the fastest round. */
#include "bench/compare/mark.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/args.h"
#include "bench/cli/complain.h"
#include "bench/cli/grid.h"
#include "bench/cli/options.h"
#include "bench/cli/output.h"
#include "bench/cli/progress.h"
#include "bench/compare/rows.h"
#include "bench/compare/table.h"
#include "bench/compare/trace_file.h"
#include "bench/marking/measure.h"
#include "bench/subject/graphs.h"
#include "tide/tide.h"

struct request {
  struct td_words graphs, objects;
  const char *engine, *policy, *json, *trace;
  uint64_t markers, rounds, heap_max;
  bool check, quiet;
};

static int parse(struct request *request, int argc, char **argv) {
  const struct td_option options[] = {
      td_option_graph(&request->graphs, "the graph to mark"),
      td_option_engine(&request->engine, "engine (default: bwos)"),
      td_option_objects(&request->objects, "KIND"),
      td_option_markers(&request->markers, "marking threads (default: all CPUs allowed)"),
      td_option_policy(&request->policy),
      td_option_rounds(&request->rounds, "timed rounds; the details are of the fastest"),
      td_option_check(&request->check),
      td_option_heap_max(&request->heap_max, NULL),
      td_option_json(&request->json, "the details as JSON"),
      td_option_word("trace", "FILE.json", &request->trace,
                     "what the markers do, moment by moment, in three further collections; for "
                     "chrome://tracing and ui.perfetto.dev"),
      td_option_quiet(&request->quiet),
  };
  const struct td_usage usage = {
      .command = "mark",
      .positional = "[SPEC]",
      .words = &request->graphs,
      .words_max = 1,
      .summary = "Marks one graph with one engine and tells what each marker did.",
      .options = options,
      .option_count = sizeof options / sizeof options[0],
      .details =
          "objects     marked by this marker; two markers may mark the same one at once\n"
          "steals      successful ones, of how many items; failed: found nothing to take\n"
          "grants      times the marker gave part of its own work to a thief that asked\n"
          "overflows   times its queue was full\n"
          "window      mean number of objects in its prefetch window\n"
          "start       from the beginning of the mark phase until it took part; then its time on\n"
          "            roots, marking (trace) and idle (looking for work, parked)\n"
          "termination from the end of its part to that of the phase\n"
          "way         how objects were marked: following references, testing batches of them, or\n"
          "            visiting regions in the order of addresses",
  };
  return td_args_parse(&usage, argc, argv);
}

/* ---- Text ------------------------------------------------------------------------------ */

static double ratio(uint64_t part, uint64_t whole) {
  return whole ? (double)part / (double)whole : 0.0;
}

static int print_work(const struct td_cycle_record *cycle, FILE *out) {
  struct td_grid grid;
  td_grid_begin(&grid, ">marker >objects >steals >items >failed >grants >parks >wakes "
                       ">overflows >window");
  for (unsigned i = 0; i < cycle->all.markers; i++) {
    const struct tide_marker_stats *m = &cycle->marker[i];
    td_grid_cell(&grid, "%u", i);
    td_grid_cell(&grid, "%" PRIu64, m->objects);
    td_grid_cell(&grid, "%" PRIu64, m->steals);
    td_grid_cell(&grid, "%" PRIu64, m->stolen_items);
    td_grid_cell(&grid, "%" PRIu64, m->failed_steals);
    td_grid_cell(&grid, "%" PRIu64, m->grants);
    td_grid_cell(&grid, "%" PRIu64, m->parks);
    td_grid_cell(&grid, "%" PRIu64, m->wakes);
    td_grid_cell(&grid, "%" PRIu64, m->overflows);
    td_grid_cell(&grid, "%.1f", ratio(m->window_sum, m->window_samples));
  }
  return td_grid_print(&grid, out);
}

/* What all markers did together, of what is told below. */
static struct tide_marker_stats sum_of(const struct td_cycle_record *cycle) {
  struct tide_marker_stats sum = {0};
  for (unsigned i = 0; i < cycle->all.markers; i++) {
    const struct tide_marker_stats *m = &cycle->marker[i];
    sum.objects += m->objects;
    sum.trace_ns += m->trace_ns;
    sum.stolen_items += m->stolen_items;
    sum.window_sum += m->window_sum;
    sum.window_samples += m->window_samples;
    sum.test_objects += m->test_objects;
    sum.test_references += m->test_references;
    sum.test_ns += m->test_ns;
    sum.region_visits += m->region_visits;
    sum.region_objects += m->region_objects;
    sum.region_references += m->region_references;
    sum.region_ns += m->region_ns;
  }
  return sum;
}

static void print_shares(const struct td_cycle_record *cycle, const struct tide_marker_stats *sum,
                         FILE *out) {
  if (cycle->all.steals)
    fprintf(out, "A steal took %.1f items.\n", ratio(sum->stolen_items, cycle->all.steals));
  if (sum->window_samples)
    fprintf(out, "The window held %.1f objects.\n", ratio(sum->window_sum, sum->window_samples));
  if (sum->region_visits)
    fprintf(out,
            "%" PRIu64 " visits of regions tested %.0f references each; %.1f KiB held those that "
            "waited.\n",
            sum->region_visits, ratio(sum->region_references, sum->region_visits),
            (double)cycle->all.region_pool_bytes / 1024);
  fputc('\n', out);
}

static void way_row(struct td_grid *grid, const char *name, const struct tide_marker_stats *sum,
                    uint64_t objects, uint64_t ns) {
  td_grid_cell(grid, "%s", name);
  td_grid_cell(grid, "%.1f", 100 * ratio(objects, sum->objects));
  td_grid_cell(grid, "%.1f", 100 * ratio(ns, sum->trace_ns));
}

/* What each way of marking did: the share of the objects and of the time, and how many references
 * were tested. What is followed is not counted apart. */
static int print_ways(const struct tide_marker_stats *sum, FILE *out) {
  const uint64_t apart_ns = sum->test_ns + sum->region_ns;
  struct td_grid grid;
  td_grid_begin(&grid, "way >objects_% >time_% >references");
  way_row(&grid, "follow", sum, sum->objects - sum->test_objects - sum->region_objects,
          sum->trace_ns > apart_ns ? sum->trace_ns - apart_ns : 0);
  td_grid_cell(&grid, "-");
  way_row(&grid, "test", sum, sum->test_objects, sum->test_ns);
  td_grid_cell(&grid, "%" PRIu64, sum->test_references);
  way_row(&grid, "place order", sum, sum->region_objects, sum->region_ns);
  td_grid_cell(&grid, "%" PRIu64, sum->region_references);
  return td_grid_print(&grid, out);
}

static int print_times(const struct td_cycle_record *cycle, FILE *out) {
  struct td_grid grid;
  td_grid_begin(&grid, ">marker >start_µs >roots_µs >trace_µs >idle_µs >termination_µs");
  for (unsigned i = 0; i < cycle->all.markers; i++) {
    const struct tide_marker_stats *m = &cycle->marker[i];
    td_grid_cell(&grid, "%u", i);
    td_grid_cell(&grid, "%.1f", (double)m->started_ns / 1e3);
    td_grid_cell(&grid, "%.1f", (double)m->roots_ns / 1e3);
    td_grid_cell(&grid, "%.1f", (double)m->trace_ns / 1e3);
    td_grid_cell(&grid, "%.1f", (double)m->idle_ns / 1e3);
    uint64_t left =
        m->ended_ns && m->ended_ns < cycle->all.mark_ns ? cycle->all.mark_ns - m->ended_ns : 0;
    td_grid_cell(&grid, "%.1f", (double)left / 1e3);
  }
  return td_grid_print(&grid, out);
}

static int print(const struct td_comparison *comparison, FILE *out) {
  int status = td_compare_print(comparison, out);
  const struct td_row *row = &comparison->graphs[0].rows[0];
  const struct td_cycle_record *cycle = row->cycle;
  if (!cycle) {
    fprintf(out, "\n%s does not tell what its markers did.\n", row->engine.name);
    return status;
  }
  fprintf(
      out,
      "\nThe fastest round: %u of %u marker(s) took part; stop %.1f µs, mark %.1f µs, weak %.1f "
      "µs,\nsweep %.1f µs, pause %.1f µs; %" PRIu64 " object(s) scanned twice.\n",
      cycle->all.recruited, cycle->all.markers, (double)cycle->all.stop_ns / 1e3,
      (double)cycle->all.mark_ns / 1e3, (double)cycle->all.weak_ns / 1e3,
      (double)cycle->all.sweep_ns / 1e3, (double)cycle->all.pause_ns / 1e3,
      cycle->all.objects - row->objects);
  if (row->instructions)
    fprintf(out, "A collection executes %.1f instructions an object.\n",
            (double)row->instructions / ((double)row->mark_ns.count * (double)row->objects));
  const struct tide_marker_stats sum = sum_of(cycle);
  print_shares(cycle, &sum, out);
  if (status == TD_EXIT_OK) status = print_ways(&sum, out);
  fputc('\n', out);
  if (status == TD_EXIT_OK) status = print_work(cycle, out);
  fputc('\n', out);
  return status == TD_EXIT_OK ? print_times(cycle, out) : status;
}

/* ---- The command ----------------------------------------------------------------------- */

static int choose_objects(const struct request *request, struct td_bench_engine *engine) {
  enum td_objects kind;
  int status = td_objects_find_one("mark", &request->objects, &kind);
  if (status != TD_EXIT_OK || request->objects.count == 0) return status;
  if (engine->kind != TD_ENGINE_TIDE) return td_bench_no_choice("mark", engine);
  td_bench_engine_set_objects(engine, kind);
  return TD_EXIT_OK;
}

static int prepare(const struct request *request, struct td_comparison *comparison) {
  if (request->graphs.count != 1)
    return td_complain(TD_EXIT_USAGE,
                       "mark: --graph: one graph is wanted, not %zu; see tidemark mark --help",
                       request->graphs.count);
  int status = td_bench_engine_find("mark", request->engine ? request->engine : "bwos",
                                    &comparison->engines[0]);
  if (status == TD_EXIT_OK) status = choose_objects(request, &comparison->engines[0]);
  if (status == TD_EXIT_OK)
    status = td_bench_policy_choose("mark", request->policy, &comparison->policy);
  if (status != TD_EXIT_OK) return status;
  uint64_t markers = request->markers;
  if (markers == 0) {
    markers = comparison->engines[0].one_marker ? 1 : td_host_cpus_allowed();
    if (markers > TIDE_MARKERS_MAX) markers = TIDE_MARKERS_MAX;
  }
  if (comparison->engines[0].one_marker && markers != 1)
    return td_complain(TD_EXIT_USAGE, "mark: --markers: %s can mark with one marker only",
                       comparison->engines[0].name);
  comparison->engine_count = 1;
  comparison->markers[0] = (unsigned)markers;
  comparison->marker_count = 1;
  comparison->rounds = (unsigned)request->rounds;
  comparison->check = request->check;
  comparison->heap_max_bytes = request->heap_max;
  if (request->trace && comparison->engines[0].kind != TD_ENGINE_TIDE)
    return td_complain(TD_EXIT_USAGE, "mark: --trace: %s does not tell what its markers do",
                       comparison->engines[0].name);
  const struct td_output_option outputs[] = {{"json", request->json, true},
                                             {"trace", request->trace, false}};
  status = td_outputs_check("mark", outputs, 2);
  if (status != TD_EXIT_OK) return status;
  return td_graphs_parse(&request->graphs, &comparison->specs, &comparison->graph_count);
}

int td_command_mark(int argc, char **argv) {
  struct request request = {.rounds = 5};
  int status = parse(&request, argc, argv);
  if (status != TD_ARGS_GO_ON) return status;
  td_progress_setup(request.quiet);
  struct td_comparison *comparison = calloc(1, sizeof *comparison);
  if (!comparison) return td_complain(TD_EXIT_RESOURCES, "not enough memory");
  comparison->details = true;
  struct td_trace trace = {0};
  if (request.trace) comparison->trace = &trace;
  status = prepare(&request, comparison);
  if (status == TD_EXIT_OK) status = td_comparison_measure(comparison);
  if (status == TD_EXIT_OK) {
    status = print(comparison, td_human(request.json));
    if (status == TD_EXIT_OK) status = td_compare_json(comparison, request.json);
    if (status == TD_EXIT_OK && request.trace) status = td_trace_write(&trace, request.trace);
    if (status == TD_EXIT_OK && comparison->different) status = TD_EXIT_CHECK;
  }
  td_trace_free(&trace);
  td_comparison_free(comparison);
  free(comparison);
  return status;
}
