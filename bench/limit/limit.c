/* SPDX-License-Identifier: MIT */
/* tidemark limit: what this machine's memory allows, alone and for given graphs. */
#include "bench/limit/limit.h"

#include <stdlib.h>
#include <string.h>

#include "bench/cli/args.h"
#include "bench/cli/clock.h"
#include "bench/cli/complain.h"
#include "bench/cli/document.h"
#include "bench/cli/grid.h"
#include "bench/cli/host.h"
#include "bench/cli/options.h"
#include "bench/cli/output.h"
#include "bench/cli/progress.h"
#include "bench/engines/engines.h"
#include "bench/limit/memory.h"
#include "bench/limit/oracle.h"
#include "bench/subject/graphs.h"
#include "tide/tide.h"

#define LEAST_BYTES (UINT64_C(1) << 20)
#define MOST_BYTES (UINT64_C(64) << 30)

struct request {
  struct td_words graphs, objects;
  enum td_objects kind;
  uint64_t rounds, bytes, heap_max;
  double run_ms, seconds;
  const char *json;
  bool quiet;
};

struct limit {
  struct td_host host;
  struct td_cpus cpus;
  struct td_limit_memory memory;
  struct td_graph_spec *specs;
  size_t graph_count;
  struct td_oracle *oracles; /* [graph_count] */
};

static int parse(struct request *request, int argc, char **argv) {
  const struct td_option options[] = {
      td_option_graphs(&request->graphs, "graphs whose memory is touched in the best possible way"),
      td_option_objects(&request->objects, "KIND"),
      td_option_rounds(&request->rounds, "rounds"),
      {.name = "bytes",
       .argument = "BYTES",
       .number = &request->bytes,
       .is_bytes = true,
       .min = (double)LEAST_BYTES,
       .max = (double)MOST_BYTES,
       .text = "memory that loads wander over (default: twice the last cache, 256M to 1G)"},
      td_option_run_ms(&request->run_ms, "length of one run of loads"),
      td_option_real("seconds", "S", &request->seconds, 0, 86400,
                     "begin no further round of a graph after S seconds"),
      td_option_heap_max(&request->heap_max, NULL),
      td_option_json(&request->json, "the rows as JSON"),
      td_option_quiet(&request->quiet),
  };
  const struct td_usage usage = {
      .command = "limit",
      .summary =
          "Measures what the memory of this machine allows: loads that depend on each other and\n"
          "loads that do not, stores, lines read in order, and how long a line takes from\n"
          "core to core. For graphs it measures the oracle.",
      .options = options,
      .option_count = sizeof options / sizeof options[0],
      .details =
          "The oracle knows beforehand what a marker has to find out. It touches the lines of "
          "live\n"
          "objects that hold references, and a mark byte per object: in depth-first order and in\n"
          "address order, with the best of several prefetch distances. An engine that is as fast\n"
          "has nothing left to gain from memory. The replay touches what a marker has to touch,\n"
          "a mark byte for every reference, but knows the order. Conservative objects are read to\n"
          "their ends. compare --limit measures both in the same rounds as the engines.\n"
          "Graphs: see tidemark graph --help.",
  };
  return td_args_parse(&usage, argc, argv);
}

/* ---- Measuring ------------------------------------------------------------------------- */

static size_t default_bytes(const struct td_host *host) {
  uint64_t bytes = 2 * host->l3_bytes;
  if (bytes < UINT64_C(256) << 20) bytes = UINT64_C(256) << 20;
  if (bytes > UINT64_C(1) << 30) bytes = UINT64_C(1) << 30;
  return (size_t)bytes;
}

static int measure_memory(const struct request *request, struct limit *limit) {
  limit->memory = (struct td_limit_memory){.bytes = request->bytes ? (size_t)request->bytes
                                                                   : default_bytes(&limit->host),
                                           .rounds = (unsigned)request->rounds,
                                           .run_ms = request->run_ms,
                                           .cpus = &limit->cpus};
  uint64_t available = td_host_memory_available();
  if (limit->memory.bytes > available)
    return td_complain(TD_EXIT_RESOURCES, "limit: %zu MiB are wanted, %llu MiB are available",
                       limit->memory.bytes >> 20, (unsigned long long)available >> 20);
  return td_limit_memory_run(&limit->memory);
}

/* Repeats the replays until there were enough rounds or time is up, but once at least. */
static int run_oracle(const struct request *request, const char *name, struct td_oracle *oracle) {
  uint64_t begin = td_now_ns();
  for (unsigned round = 0; round < request->rounds; round++) {
    if (round > 0 && (double)(td_now_ns() - begin) > request->seconds * 1e9) break;
    char what[128];
    snprintf(what, sizeof what, "%.60s: round %u", name, round + 1);
    td_progress(what, round, request->rounds);
    int status = td_oracle_round(oracle);
    if (status != TD_EXIT_OK) return status;
  }
  return TD_EXIT_OK;
}

static int measure_graph(const struct request *request, struct limit *limit, size_t index) {
  const struct td_graph_spec *spec = &limit->specs[index];
  struct td_oracle *oracle = &limit->oracles[index];
  const unsigned threads[] = {1, 2, limit->cpus.count};
  struct td_subject subject;
  struct td_places places = {.conservative = request->kind == TD_OBJECTS_CONSERVATIVE};
  td_progress_begin();
  const struct td_subject_build build = {.heap_max_bytes = request->heap_max,
                                         .conservative = places.conservative,
                                         .wrap = td_places_wrap,
                                         .context = &places};
  int status = td_subject_create(spec, &build, &subject);
  if (status != TD_EXIT_OK) {
    td_places_free(&places);
    return status;
  }
  td_progress("limit: traversing", 0, 0);
  status = td_oracle_init(oracle, spec, &places, &limit->cpus, threads, 3);
  td_places_free(&places);
  if (status == TD_EXIT_OK) status = run_oracle(request, spec->text, oracle);
  td_oracle_end(oracle);
  td_subject_destroy(&subject);
  td_progress_end();
  return status;
}

static int measure(const struct request *request, struct limit *limit) {
  td_host_read(&limit->host);
  if (!td_cpus_read(&limit->cpus))
    return td_complain(TD_EXIT_RESOURCES, "limit: not enough memory");
  limit->oracles = calloc(limit->graph_count + 1, sizeof *limit->oracles);
  if (!limit->oracles) return td_complain(TD_EXIT_RESOURCES, "limit: not enough memory");
  td_noise_begin(&limit->host.noise);
  int status = measure_memory(request, limit);
  for (size_t i = 0; i < limit->graph_count && status == TD_EXIT_OK; i++)
    status = measure_graph(request, limit, i);
  td_noise_end(&limit->host.noise);
  return status;
}

/* ---- Results --------------------------------------------------------------------------- */

static struct td_summary per_object(const struct td_oracle *oracle,
                                    const struct td_samples *samples) {
  return td_summary_over(td_samples_summary(samples),
                         oracle->tapes.objects ? (double)oracle->tapes.objects : 1.0);
}

static void print_row(struct td_grid *grid, const char *name, struct td_summary s,
                      const char *unit) {
  td_grid_cell(grid, "%s", name);
  td_grid_cell(grid, "%.2f", s.median);
  td_grid_cell(grid, "%.2f", s.min);
  td_grid_cell(grid, "%.2f", s.max);
  td_grid_cell(grid, "%s", unit);
}

/* Calls row for every order and number of threads. */
static void each_oracle(const struct td_oracle *oracle, void *context,
                        void (*row)(void *context, const char *name, unsigned threads,
                                    unsigned order, struct td_summary summary)) {
  for (size_t i = 0; i < oracle->times_count; i++)
    for (unsigned order = 0; order < TD_TAPE_ORDERS; order++) {
      char name[64];
      unsigned threads = oracle->times[i].threads;
      const char *of = order == TD_TAPE_REPLAY ? "" : "oracle, ";
      snprintf(name, sizeof name, "%s%s%s, %u thread%s", of, td_tape_order_names[order],
               *of ? " order" : "", threads, threads == 1 ? "" : "s");
      row(context, name, threads, order, per_object(oracle, &oracle->times[i].ns[order]));
    }
}

static void print_oracle(void *grid, const char *name, unsigned threads, unsigned order,
                         struct td_summary summary) {
  (void)threads;
  (void)order;
  print_row(grid, name, summary, "ns/object");
}

static int print(const struct limit *limit, const struct request *request, FILE *out) {
  struct td_grid grid;
  td_grid_begin(&grid, "what >median >min >max unit");
  td_grid_rule(&grid);
  for (size_t i = 0; i < limit->memory.figure_count; i++) {
    const struct td_limit_figure *figure = &limit->memory.figures[i];
    print_row(&grid, figure->name, td_samples_summary(&figure->samples), figure->unit);
  }
  for (size_t i = 0; i < limit->graph_count; i++) {
    td_grid_rule(&grid);
    td_grid_cell(&grid, "%s", limit->specs[i].text);
    for (unsigned blank = 0; blank < 4; blank++)
      td_grid_cell(&grid, "%s", "");
    each_oracle(&limit->oracles[i], &grid, print_oracle);
  }
  int status = td_grid_print(&grid, out);
  fprintf(out, "\n%u round(s); loads over %zu MiB.\n", (unsigned)request->rounds,
          limit->memory.bytes >> 20);
  td_host_print(&limit->host, out);
  return status;
}

struct json_context {
  struct td_json *json;
  const char *graph;
};

static void json_row(struct td_json *json, const char *name, struct td_summary s,
                     const char *unit) {
  td_json_object_begin(json, NULL);
  td_json_string(json, "name", name);
  td_json_real(json, "value", s.median);
  td_json_string(json, "unit", unit);
  td_json_real(json, "min", s.min);
  td_json_real(json, "max", s.max);
  td_json_count(json, "rounds", s.count);
}

static void json_oracle(void *context, const char *name, unsigned threads, unsigned order,
                        struct td_summary summary) {
  struct json_context *c = context;
  json_row(c->json, name, summary, "ns/object");
  td_json_string(c->json, "graph", c->graph);
  td_json_count(c->json, "threads", threads);
  td_json_string(c->json, "order", td_tape_order_names[order]);
  td_json_object_end(c->json);
}

static void json_graph(struct td_json *json, const struct td_graph_spec *spec,
                       const struct td_oracle *oracle) {
  td_json_object_begin(json, NULL);
  td_json_string(json, "graph", spec->text);
  td_json_count(json, "objects", oracle->tapes.objects);
  td_json_count(json, "lines_read", oracle->tapes.lines);
  enum td_tape_order order = 0;
  const struct td_samples *best = td_oracle_best(oracle, 1, &order);
  td_json_real(json, "oracle_ns_per_object", per_object(oracle, best).median);
  td_json_real(json, "replay_ns_per_object",
               per_object(oracle, td_oracle_replay(oracle, 1)).median);
  td_json_array_begin(json, "by_threads");
  for (size_t i = 0; i < oracle->times_count; i++) {
    best = td_oracle_best(oracle, oracle->times[i].threads, &order);
    td_json_object_begin(json, NULL);
    td_json_count(json, "threads", oracle->times[i].threads);
    td_json_string(json, "order", td_tape_order_names[order]);
    td_json_count(json, "prefetch_distance", oracle->ahead[order]);
    td_json_real(json, "oracle_ns_per_object", per_object(oracle, best).median);
    td_json_object_end(json);
  }
  td_json_array_end(json);
  td_json_object_end(json);
}

static int write_json(const struct limit *limit, const char *path) {
  if (!path) return TD_EXIT_OK;
  struct td_document document;
  int status = td_document_begin(&document, path, &limit->host);
  if (status != TD_EXIT_OK) return status;
  struct td_json *json = &document.json;
  td_json_count(json, "bytes", limit->memory.bytes);
  td_json_array_begin(json, "rows");
  for (size_t i = 0; i < limit->memory.figure_count; i++) {
    const struct td_limit_figure *figure = &limit->memory.figures[i];
    json_row(json, figure->name, td_samples_summary(&figure->samples), figure->unit);
    td_json_object_end(json);
  }
  for (size_t i = 0; i < limit->graph_count; i++) {
    struct json_context context = {.json = json, .graph = limit->specs[i].text};
    each_oracle(&limit->oracles[i], &context, json_oracle);
  }
  td_json_array_end(json);
  td_json_array_begin(json, "graphs");
  for (size_t i = 0; i < limit->graph_count; i++)
    json_graph(json, &limit->specs[i], &limit->oracles[i]);
  td_json_array_end(json);
  return td_document_commit(&document);
}

/* ---- The command ----------------------------------------------------------------------- */

static void free_limit(struct limit *limit) {
  for (size_t i = 0; limit->oracles && i < limit->graph_count; i++)
    td_oracle_free(&limit->oracles[i]);
  free(limit->oracles);
  td_limit_memory_free(&limit->memory);
  td_cpus_free(&limit->cpus);
  td_graph_specs_free(limit->specs, limit->graph_count);
  free(limit);
}

int td_command_limit(int argc, char **argv) {
  struct request request = {.rounds = 5, .run_ms = 20, .seconds = 20};
  int status = parse(&request, argc, argv);
  if (status != TD_ARGS_GO_ON) return status;
  td_progress_setup(request.quiet);
  struct limit *limit = calloc(1, sizeof *limit);
  if (!limit) return td_complain(TD_EXIT_RESOURCES, "not enough memory");
  const struct td_output_option output = {"json", request.json, true};
  status = td_outputs_check("limit", &output, 1);
  if (status == TD_EXIT_OK) status = td_objects_find_one("limit", &request.objects, &request.kind);
  if (status == TD_EXIT_OK)
    status = td_graphs_parse(&request.graphs, &limit->specs, &limit->graph_count);
  if (status == TD_EXIT_OK) status = measure(&request, limit);
  if (status == TD_EXIT_OK) status = print(limit, &request, td_human(request.json));
  if (status == TD_EXIT_OK) status = write_json(limit, request.json);
  free_limit(limit);
  return status;
}
