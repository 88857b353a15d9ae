/* SPDX-License-Identifier: MIT */
#include "bench/compare/compare.h"

#include <stdlib.h>

#include "bench/cli/args.h"
#include "bench/cli/complain.h"
#include "bench/cli/options.h"
#include "bench/cli/output.h"
#include "bench/cli/plot.h"
#include "bench/cli/progress.h"
#include "bench/compare/chart.h"
#include "bench/compare/rows.h"
#include "bench/compare/table.h"
#include "bench/marking/measure.h"
#include "bench/report/report.h"
#include "bench/subject/graphs.h"
#include "tide/tide.h"

struct request {
  struct td_words graphs, engines, objects;
  struct td_numbers markers;
  uint64_t rounds, heap_max;
  double seconds;
  const char *policy, *json, *plot, *report;
  bool check, limit, quiet;
};

static const char details[] =
    "Engines: see tidemark engines. The engine serial can mark with one marker only and has no\n"
    "rows for more. Graphs: see tidemark graph --help.\n"
    "--check compares the marks object by object: those on a Tidemark heap with a second, serial\n"
    "marking; those of Boehm GC, in its own process, with a search over a recording of the graph.\n"
    "Exit status 1: a check found a difference.";

static int parse(struct request *request, int argc, char **argv) {
  const struct td_option options[] = {
      td_option_graphs(&request->graphs,
                       "graphs to mark (default: three real heaps and seven synthetic ones)"),
      td_option_engines(&request->engines,
                        "engines; ratios are taken to the first (default: bwos,abp,boehm)"),
      td_option_objects(&request->objects, "KIND[,KIND]"),
      td_option_marker_counts(&request->markers,
                              "numbers of marking threads (default: 1, 2 and all CPUs allowed)"),
      td_option_policy(&request->policy),
      td_option_rounds(
          &request->rounds,
          "timed rounds, after one that warms up; with --seconds the least (default: 5)"),
      td_option_real(
          "seconds", "S", &request->seconds, 0.001, 86400,
          "go on with further rounds of a graph until its median ratios are known to 5 % "
          "or S seconds are over (default: 10; none if --rounds is given)"),
      td_option_check(&request->check),
      {.name = "limit",
       .flag = &request->limit,
       .text = "measure what memory allows in the same rounds, and how far from it each engine is "
               "(see tidemark limit)"},
      td_option_heap_max(&request->heap_max, NULL),
      td_option_json(&request->json, "the rows as JSON"),
      td_option_plot(&request->plot),
      td_option_report(&request->report),
      td_option_quiet(&request->quiet),
  };
  const struct td_usage usage = {
      .command = "compare",
      .positional = "[SPEC…]",
      .words = &request->graphs,
      .words_max = TD_LIST_MAX,
      .summary =
          "Builds each graph once on a Tidemark heap, and once in a process of Boehm GC for each\n"
          "number of markers. Every engine then marks it with every number of markers, and the\n"
          "times of the mark phases are compared. Rounds are interleaved: in each, every row "
          "marks\n"
          "once.",
      .options = options,
      .option_count = sizeof options / sizeof options[0],
      .details = details,
  };
  return td_args_parse(&usage, argc, argv);
}

/* ---- From the request to the comparison ------------------------------------------------ */

/* Adds an engine once for each kind of objects that it is to have. */
static void add_engine(struct td_comparison *comparison, const struct td_bench_engine *engine,
                       const enum td_objects *kinds, size_t kind_count) {
  if (engine->kind != TD_ENGINE_TIDE) kind_count = 1;
  for (size_t k = 0; k < kind_count; k++) {
    struct td_bench_engine *added = &comparison->engines[comparison->engine_count++];
    *added = *engine;
    if (engine->kind == TD_ENGINE_TIDE) td_bench_engine_set_objects(added, kinds[k]);
  }
}

/* Refuses --objects where no engine has a choice. */
static int require_a_choice(const struct td_comparison *comparison) {
  for (size_t e = 0; e < comparison->engine_count; e++)
    if (comparison->engines[e].kind == TD_ENGINE_TIDE) return TD_EXIT_OK;
  return td_bench_no_choice("compare", &comparison->engines[0]);
}

static int choose_engines(struct request *request, struct td_comparison *comparison) {
  if (request->engines.count == 0) {
    request->engines = (struct td_words){.at = {"bwos", "abp", "boehm"}, .count = 3};
    if (!td_boehm_is_there()) {
      td_note("the engine boehm is left out: the program was built without Boehm GC (Debian: "
              "libgc-dev)");
      request->engines.count--;
    }
  }
  enum td_objects kinds[TD_OBJECTS_KINDS];
  size_t kind_count;
  int status = td_objects_find("compare", &request->objects, kinds, &kind_count);
  for (size_t i = 0; i < request->engines.count && status == TD_EXIT_OK; i++) {
    struct td_bench_engine engine;
    status = td_bench_engine_find("compare", request->engines.at[i], &engine);
    if (status == TD_EXIT_OK) add_engine(comparison, &engine, kinds, kind_count);
  }
  if (status == TD_EXIT_OK && request->objects.count > 0) status = require_a_choice(comparison);
  return status;
}

static void choose_markers(const struct request *request, struct td_comparison *comparison) {
  struct td_numbers markers = request->markers;
  if (markers.count == 0) {
    unsigned cpus = td_host_cpus_allowed();
    markers.at[markers.count++] = 1;
    if (cpus >= 2) markers.at[markers.count++] = 2;
    if (cpus > 2) markers.at[markers.count++] = cpus < TIDE_MARKERS_MAX ? cpus : TIDE_MARKERS_MAX;
  }
  for (size_t i = 0; i < markers.count; i++)
    comparison->markers[comparison->marker_count++] = (unsigned)markers.at[i];
}

/* Refuses a comparison without rows, which would say nothing and succeed. */
static int require_a_row(const struct td_comparison *comparison) {
  for (size_t e = 0; e < comparison->engine_count; e++)
    for (size_t m = 0; m < comparison->marker_count; m++)
      if (!comparison->engines[e].one_marker || comparison->markers[m] == 1) return TD_EXIT_OK;
  return td_complain(TD_EXIT_USAGE, "compare: nothing to do: %s can mark with one marker only",
                     comparison->engines[0].name);
}

static int check_outputs(const struct request *request) {
  const struct td_output_option outputs[] = {{"json", request->json, true},
                                             {"plot", request->plot, false},
                                             {"report", request->report, false}};
  int status = td_plot_check(request->plot);
  if (status != TD_EXIT_OK) return status;
  return td_outputs_check("compare", outputs, sizeof outputs / sizeof outputs[0]);
}

static int prepare(struct request *request, struct td_comparison *comparison) {
  int status = choose_engines(request, comparison);
  choose_markers(request, comparison);
  if (status == TD_EXIT_OK)
    status = td_bench_policy_choose("compare", request->policy, &comparison->policy);
  comparison->rounds = request->rounds ? (unsigned)request->rounds : 5;
  comparison->seconds = request->seconds == 0 && request->rounds == 0 ? 10 : request->seconds;
  comparison->check = request->check;
  comparison->heap_max_bytes = request->heap_max;
  comparison->profile = request->report != NULL;
  comparison->limit = request->limit;
  if (status == TD_EXIT_OK) status = require_a_row(comparison);
  if (status == TD_EXIT_OK) status = check_outputs(request);
  if (status != TD_EXIT_OK) return status;
  if (request->graphs.count == 0) td_graphs_default(&request->graphs);
  return td_graphs_parse(&request->graphs, &comparison->specs, &comparison->graph_count);
}

/* ---- Results --------------------------------------------------------------------------- */

static int publish(const struct td_comparison *comparison, const struct request *request) {
  int status = td_compare_print(comparison, td_human(request->json));
  if (status == TD_EXIT_OK) status = td_compare_json(comparison, request->json);
  if (status == TD_EXIT_OK) status = td_compare_plot(comparison, request->plot);
  if (status == TD_EXIT_OK) status = td_report_write(comparison, request->report);
  return status == TD_EXIT_OK && comparison->different ? TD_EXIT_CHECK : status;
}

int td_command_compare(int argc, char **argv) {
  struct request request = {0};
  int status = parse(&request, argc, argv);
  if (status != TD_ARGS_GO_ON) return status;
  td_progress_setup(request.quiet);
  struct td_comparison *comparison = calloc(1, sizeof *comparison);
  if (!comparison) return td_complain(TD_EXIT_RESOURCES, "not enough memory");
  status = prepare(&request, comparison);
  if (status == TD_EXIT_OK) status = td_comparison_measure(comparison);
  if (status == TD_EXIT_OK) status = publish(comparison, &request);
  td_comparison_free(comparison);
  free(comparison);
  return status;
}
