/* SPDX-License-Identifier: MIT */
/* tidemark-simulate: marking with many markers, predicted by a simulation of the shipped library.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/cleanup.h"
#include "bench/cli/complain.h"
#include "bench/cli/options.h"
#include "bench/cli/output.h"
#include "bench/cli/plot.h"
#include "bench/cli/progress.h"
#include "bench/engines/engines.h"
#include "bench/simulate/measure.h"
#include "bench/simulate/result.h"
#include "bench/simulate/topology.h"
#include "bench/simulate/validate.h"
#include "bench/simulate/waits.h"
#include "bench/subject/graphs.h"
#include "tide/tide.h"
#include "workloads/profile.h"

#define DEFAULT_TOPOLOGY "pack:2 [numa] l3:8(size=32MiB) core:8 pu:1"
#define LIST_BYTES 1024

struct request {
  struct td_words graphs, engines;
  struct td_numbers markers;
  uint64_t seed, seeds, rounds, heap_max, waits;
  const char *topology, *policy, *costs, *json, *plot;
  bool validate, measure, fit, warm, quiet;
};

struct plan {
  const struct request *request;
  struct td_graph_spec *specs;
  size_t graph_count;
  char engines[LIST_BYTES];         /* names, separated by commas */
  char topology[TD_TOPOLOGY_BYTES]; /* of this machine */
  struct td_numbers markers;        /* begins with 1 */
  size_t per_graph;                 /* rows */
  struct td_simulate_result result;
};

static const char details[] =
    "The library that is shipped marks the graph; it is compiled so that each access to memory\n"
    "lets simulated time go on, on cores, caches and memories of a machine that hwloc describes:\n"
    "two packages of 64 cores by default. Costs are measured on this machine as far as it can\n"
    "tell; --json writes all of them, and --costs takes them from such a file, which makes a run\n"
    "repeatable. With --validate the machine is this one, however few cores it has, and the graph\n"
    "is marked on it as well. Distances between markers are unknown to the library, so the numa\n"
    "policies choose as the random ones do. Graphs: see tidemark graph --help.";

static int parse(struct request *request, int argc, char **argv) {
  const struct td_option options[] = {
      td_option_graphs(&request->graphs, "graphs to mark"),
      td_option_engines(&request->engines, "engines (default: bwos)"),
      td_option_marker_counts(&request->markers,
                              "numbers of markers (default: 1,2,4,8,16,32,64,128; with "
                              "--validate 1,2,4,8)"),
      td_option_word("topology", "SYNTHETIC", &request->topology,
                     "the machine, as hwloc describes synthetic ones (default: "
                     "\"" DEFAULT_TOPOLOGY "\")"),
      td_option_policy(&request->policy),
      td_option_number("seed", "N", &request->seed, 0, 4294967295.0,
                       "what chance decides: how long threads take to wake"),
      td_option_number("seeds", "N", &request->seeds, 1, 1000,
                       "take the N seeds from --seed on, and tell the median and the range"),
      td_option_word("costs", "FILE", &request->costs,
                     "take the costs from this JSON file instead of measuring"),
      {.name = "fit",
       .flag = &request->fit,
       .text = "mark each graph on this machine by one marker, and fit the pace to it"},
      {.name = "validate",
       .flag = &request->validate,
       .text = "simulate this machine, and compare with markings on it"},
      {.name = "measure",
       .flag = &request->measure,
       .text = "mark on this machine only: what --validate compares with, and the costs"},
      {.name = "warm",
       .flag = &request->warm,
       .text = "begin with full caches, as --validate and --fit do; else they are empty"},
      td_option_rounds(&request->rounds, "rounds of the markings on this machine"),
      td_option_heap_max(&request->heap_max, NULL),
      td_option_number("waits", "N", &request->waits, 0, TD_WAITS_MOST,
                       "tell the N places in the library's code where each row waits longest "
                       "(needs addr2line)"),
      td_option_json(&request->json, "the rows as JSON"),
      td_option_plot(&request->plot),
      td_option_quiet(&request->quiet),
  };
  const struct td_usage usage = {
      .command = "simulate",
      .own_program = true,
      .summary =
          "Predicts how long marking takes with many markers, by simulation: speed-up, how busy\n"
          "the markers are, and what bounds them.",
      .options = options,
      .option_count = sizeof options / sizeof options[0],
      .details = details,
  };
  return td_args_parse(&usage, argc, argv);
}

/* ---- The plan ---------------------------------------------------------------------------- */

static int choose_engines(struct plan *plan) {
  struct td_words names = plan->request->engines;
  if (names.count == 0) names = (struct td_words){.at = {"bwos"}, .count = 1};
  size_t length = 0;
  bool several = plan->markers.count > 1;
  for (size_t i = 0; i < names.count; i++) {
    struct td_bench_engine engine;
    int status = td_bench_engine_find("simulate", names.at[i], &engine);
    if (status != TD_EXIT_OK) return status;
    if (engine.kind != TD_ENGINE_TIDE)
      return td_complain(TD_EXIT_USAGE,
                         "simulate: only engines of Tidemark can be simulated, "
                         "not '%s'",
                         engine.name);
    if (engine.one_marker && several)
      return td_complain(TD_EXIT_USAGE, "simulate: engine '%s' marks with one marker only",
                         engine.name);
    length += (size_t)snprintf(plan->engines + length, LIST_BYTES - length, "%s%s", i ? "," : "",
                               engine.name);
    if (length >= LIST_BYTES) return td_complain(TD_EXIT_USAGE, "simulate: too many engines");
  }
  plan->per_graph = names.count * plan->markers.count;
  return TD_EXIT_OK;
}

/* Whether all rows are measured. */
static bool is_real(const struct request *request) {
  return request->validate || request->measure;
}

/* One marker comes first: speed-ups refer to it. */
static void choose_markers(struct plan *plan) {
  struct td_numbers *chosen = &plan->markers;
  const struct td_numbers *asked = &plan->request->markers;
  chosen->at[chosen->count++] = 1;
  uint64_t most = is_real(plan->request) ? 8 : 128;
  for (uint64_t n = 2; asked->count == 0 && n <= most; n *= 2)
    chosen->at[chosen->count++] = n;
  for (size_t i = 0; i < asked->count && chosen->count < TD_LIST_MAX; i++)
    if (asked->at[i] != 1) chosen->at[chosen->count++] = asked->at[i];
}

/* Costs take seconds to be measured, so this comes first. */
static int check_topology(const char *description) {
  struct td_sim_topology topology;
  const char *wrong = td_sim_topology_read(&topology, description);
  if (!wrong) return TD_EXIT_OK;
  return td_complain(TD_EXIT_USAGE, "simulate: bad topology '%s': %s", description, wrong);
}

static int choose_machine(struct plan *plan) {
  struct td_simulate_result *result = &plan->result;
  const struct request *request = plan->request;
  if (is_real(request) && request->topology)
    return td_complain(TD_EXIT_USAGE, "simulate: --%s is about this machine, not --topology",
                       request->validate ? "validate" : "measure");
  result->topology = request->topology ? request->topology : DEFAULT_TOPOLOGY;
  result->seed = request->seed;
  result->seeds = request->seeds;
  result->validate = request->validate;
  result->measured_only = request->measure;
  int status = check_topology(result->topology);
  if (status != TD_EXIT_OK) return status;
  return td_bench_policy_choose("simulate", request->policy, &result->policy);
}

static int choose_costs(struct plan *plan) {
  struct td_costs *costs = &plan->result.costs;
  td_costs_init(costs);
  int status =
      plan->request->costs ? td_costs_read(costs, plan->request->costs) : td_costs_measure(costs);
  if (!is_real(plan->request)) return status;
  td_costs_topology(costs, plan->topology);
  plan->result.topology = plan->topology;
  return status;
}

/* The simulated machine remembers each line of the heap. */
static int refuse_too_large(const struct td_graph_spec *spec) {
  struct td_graph_plan graph;
  td_graph_plan(spec, &graph);
  uint64_t available = td_host_memory_available();
  if (!graph.known || graph.bytes / 4 * 5 <= available) return TD_EXIT_OK;
  return td_complain(TD_EXIT_RESOURCES,
                     "simulate: %s is too large to be simulated: %" PRIu64
                     " MiB are needed, %" PRIu64 " MiB are available",
                     spec->text, graph.bytes / 4 * 5 >> 20, available >> 20);
}

static int make_plan(struct plan *plan) {
  const struct request *request = plan->request;
  if (request->graphs.count == 0)
    return td_complain(TD_EXIT_USAGE, "simulate: --graph is missing; see tidemark-simulate --help");
  const struct td_output_option outputs[] = {{"json", request->json, true},
                                             {"plot", request->plot, false}};
  int status = td_outputs_check("simulate", outputs, 2);
  if (status == TD_EXIT_OK) status = td_plot_check(request->plot);
  choose_markers(plan);
  if (status == TD_EXIT_OK) status = choose_engines(plan);
  if (status == TD_EXIT_OK) status = choose_machine(plan);
  if (status == TD_EXIT_OK)
    status = td_graphs_parse(&request->graphs, &plan->specs, &plan->graph_count);
  for (size_t i = 0; i < plan->graph_count && status == TD_EXIT_OK; i++)
    status = refuse_too_large(&plan->specs[i]);
  if (status != TD_EXIT_OK) return status;
  plan->result.rows = calloc(plan->graph_count * plan->per_graph, sizeof *plan->result.rows);
  if (!plan->result.rows) return td_complain(TD_EXIT_RESOURCES, "not enough memory");
  return choose_costs(plan);
}

/* ---- Simulating -------------------------------------------------------------------------- */

static int profile(const struct td_graph_spec *spec, uint64_t *critical_path) {
  struct td_graph_profile *profile = malloc(sizeof *profile);
  struct td_graph_error error = {.status = TD_GRAPH_NO_RESOURCES, .text = "not enough memory"};
  bool done = profile && td_graph_profile(spec, profile, &error);
  if (done) *critical_path = profile->levels;
  free(profile);
  return done ? TD_EXIT_OK : td_complain((int)error.status, "%s", error.text);
}

/* What is measured of a graph: every row with --validate, else one marker of the first engine. */
static int mark_really(struct plan *plan, const struct td_graph_spec *spec, double *ns) {
  const struct request *request = plan->request;
  bool all = is_real(request);
  const char *const fallback[] = {"bwos"};
  const bool named = request->engines.count > 0;
  const struct td_real_marking marking = {
      .spec = spec,
      .engines = named ? request->engines.at : fallback,
      .engine_count = all && named ? request->engines.count : 1,
      .markers = plan->markers.at,
      .marker_count = all ? plan->markers.count : 1,
      .rounds = (unsigned)request->rounds,
      .policy = plan->result.policy,
      .heap_max_bytes = request->heap_max,
  };
  return td_mark_really(&marking, ns);
}

/* Fits the pace so that one marker of the first engine takes as long as on this machine. Waiting
 * for memory is not paced: `tidemark limit` has measured it. A faster core waits longer, so that
 * one step is not enough. */
static int fit_pace(const struct td_simulation *simulation, double measured_ns,
                    struct td_costs *costs) {
  const uint64_t one = 1;
  char first[64];
  snprintf(first, sizeof first, "%.*s", (int)strcspn(simulation->engines, ","),
           simulation->engines);
  struct td_simulation alone = *simulation;
  alone.engines = first;
  alone.markers = &one;
  alone.marker_count = 1;
  alone.seeds = 1;
  alone.costs = costs;
  for (unsigned step = 0; step < 3; step++) {
    struct td_simulated row;
    int status = td_simulate_run(&alone, &row, 1);
    if (status != TD_EXIT_OK) return status;
    double work = row.spent_ns[TD_SPENT_WORK], waits = row.mark_ns - work;
    costs->at[TD_COST_pace] *= fmax((measured_ns - waits) / work, 0.25);
  }
  return TD_EXIT_OK;
}

/* Rows of this machine. Nothing is known of them but how long they took. */
static void take_measured(const struct plan *plan, const double *measured,
                          struct td_simulated *rows) {
  const char *engine = plan->engines;
  for (size_t i = 0; i < plan->per_graph; i++) {
    size_t markers = i % plan->markers.count;
    if (i > 0 && markers == 0) engine += strcspn(engine, ",") + 1;
    rows[i] = (struct td_simulated){.markers = (unsigned)plan->markers.at[markers],
                                    .cores = td_host_cpus_allowed(),
                                    .nodes = 1,
                                    .mark_ns = measured[i],
                                    .mark_ns_least = measured[i],
                                    .mark_ns_most = measured[i]};
    snprintf(rows[i].engine, sizeof rows[i].engine, "%.*s", (int)strcspn(engine, ","), engine);
  }
}

static void store_rows(struct plan *plan, size_t graph, const struct td_simulated *simulated,
                       const double *measured, uint64_t critical_path) {
  for (size_t i = 0; i < plan->per_graph; i++) {
    size_t alone = i / plan->markers.count * plan->markers.count;
    plan->result.rows[graph * plan->per_graph + i] =
        (struct td_simulate_row){.graph = plan->specs[graph].text,
                                 .at = simulated[i],
                                 .alone_ns = simulated[alone].mark_ns,
                                 .critical_path = critical_path,
                                 .measured_ns = is_real(plan->request) ? measured[i] : 0};
  }
}

static int simulate_graph(struct plan *plan, size_t graph, struct td_simulated *simulated,
                          double *measured) {
  const struct request *request = plan->request;
  struct td_costs costs = plan->result.costs;
  const struct td_simulation simulation = {.graph = plan->specs[graph].text,
                                           .engines = plan->engines,
                                           .policy = plan->result.policy,
                                           .topology = plan->result.topology,
                                           .markers = plan->markers.at,
                                           .marker_count = plan->markers.count,
                                           .seed = request->seed,
                                           .seeds = request->seeds,
                                           .warm =
                                               request->validate || request->fit || request->warm,
                                           .waits = (unsigned)request->waits,
                                           .heap_max_bytes = request->heap_max,
                                           .costs = &costs};
  uint64_t critical_path = 0;
  int status = profile(&plan->specs[graph], &critical_path);
  bool marks = is_real(request) || request->fit;
  if (status == TD_EXIT_OK && marks) status = mark_really(plan, &plan->specs[graph], measured);
  if (status == TD_EXIT_OK && request->fit) status = fit_pace(&simulation, measured[0], &costs);
  if (status == TD_EXIT_OK && request->measure)
    take_measured(plan, measured, simulated);
  else if (status == TD_EXIT_OK)
    status = td_simulate_run(&simulation, simulated, plan->per_graph);
  if (status != TD_EXIT_OK) return status;
  if (plan->graph_count == 1) plan->result.costs = costs; /* told as they were used */
  store_rows(plan, graph, simulated, measured, critical_path);
  plan->result.row_count += plan->per_graph;
  return TD_EXIT_OK;
}

static int simulate(struct plan *plan) {
  td_host_read(&plan->result.host);
  td_noise_begin(&plan->result.host.noise);
  struct td_simulated *simulated = calloc(plan->per_graph, sizeof *simulated);
  double *measured = calloc(plan->per_graph, sizeof *measured);
  int status =
      simulated && measured ? TD_EXIT_OK : td_complain(TD_EXIT_RESOURCES, "not enough memory");
  for (size_t i = 0; i < plan->graph_count && status == TD_EXIT_OK; i++)
    status = simulate_graph(plan, i, simulated, measured);
  free(simulated);
  free(measured);
  td_noise_end(&plan->result.host.noise);
  return status;
}

static int run_command(int argc, char **argv) {
  struct request request = {.seed = 1, .seeds = 1, .rounds = 5};
  int status = parse(&request, argc, argv);
  if (status != TD_ARGS_GO_ON) return status;
  td_progress_setup(request.quiet);
  struct plan *plan = calloc(1, sizeof *plan);
  if (!plan) return td_complain(TD_EXIT_RESOURCES, "not enough memory");
  plan->request = &request;
  status = make_plan(plan);
  if (status == TD_EXIT_OK) status = simulate(plan);
  if (status == TD_EXIT_OK) status = td_simulate_print(&plan->result, td_human(request.json));
  if (status == TD_EXIT_OK && request.waits)
    status = td_simulate_print_waits(&plan->result, td_human(request.json));
  if (status == TD_EXIT_OK) status = td_simulate_write_json(&plan->result, request.json);
  if (status == TD_EXIT_OK) status = td_simulate_plot(&plan->result, request.plot);
  td_graph_specs_free(plan->specs, plan->graph_count);
  free(plan->result.rows);
  free(plan);
  return status;
}

int main(int argc, char **argv) {
  td_cleanup_setup();
  return td_stdout_close(run_command(argc, argv));
}
