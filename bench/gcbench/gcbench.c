/* SPDX-License-Identifier: MIT */
/* tidemark gcbench: whole programs that mostly allocate, on collectors and on allocators whose
 * memory is freed by hand. */
#include "bench/gcbench/gcbench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/args.h"
#include "bench/cli/complain.h"
#include "bench/cli/host.h"
#include "bench/cli/options.h"
#include "bench/cli/output.h"
#include "bench/cli/plot.h"
#include "bench/cli/progress.h"
#include "bench/cli/samples.h"
#include "bench/gcbench/report.h"
#include "bench/gcbench/run.h"

#define MUTATORS_MAX 64u
#define DEPTH_DEFAULT_GCBENCH 18u
#define DEPTH_DEFAULT_BINARY 20u
#define OPERATIONS_DEFAULT UINT64_C(4000000)
#define LIVE_DEFAULT (UINT64_C(256) << 20)

static const struct workload {
  const char *name, *text;
  bool is_trees;
  unsigned depth;
} workloads[] = {
    {"gcbench", "Ellis, Kovac and Boehm's: short-lived trees beside a long-lived one", true,
     DEPTH_DEFAULT_GCBENCH},
    {"binary-trees", "that of the Benchmarks Game: smaller nodes, more of them", true,
     DEPTH_DEFAULT_BINARY},
    {"lru", "a cache of 262144 entries that drops the least recently used", false, 0},
    {"strings", "strings cut and joined, 131072 of them kept", false, 0},
    {"service", "requests that drop what they allocate, beside a cache of --live bytes", false, 0},
    {"interp", "an interpreter's frames, closures and conses, beside its definitions", false, 0},
    {"mutate", "a forest of a million nodes whose subtrees are swapped and replaced", false, 0},
};
#define WORKLOADS (sizeof workloads / sizeof workloads[0])

/* If the collector's program was not built, this Debian package was missing. */
static const struct collector {
  const char *name, *text, *package;
  bool has_young; /* can collect young objects apart */
} collectors[] = {
    {"tide", "Tidemark", "", true},
    {"boehm", "Boehm GC", "libgc-dev", false},
    {"malloc", "the C library's malloc and free", "", false},
    {"jemalloc", "jemalloc, with free", "libjemalloc-dev", false},
    {"mimalloc", "mimalloc, with free", "libmimalloc-dev", false},
};
#define COLLECTORS (sizeof collectors / sizeof collectors[0])

struct request {
  struct td_words workloads, collectors, young;
  struct td_numbers mutators;
  uint64_t depth, operations, live, heap_max, markers, rounds;
  const char *json, *plot;
  bool quiet;
  struct td_host host;
  struct td_gcbench_rows rows;
};

/* ---- The command line ------------------------------------------------------------------ */

static void print_details(FILE *out) {
  fputs("Workloads:\n", out);
  for (size_t i = 0; i < WORKLOADS; i++)
    fprintf(out, "  %-13s %s\n", workloads[i].name, workloads[i].text);
  fputs("Collectors:\n", out);
  for (size_t i = 0; i < COLLECTORS; i++)
    fprintf(out, "  %-13s %s%s\n", collectors[i].name, collectors[i].text,
            td_gcbench_is_there(collectors[i].name) ? "" : " (not built)");
  fputs(
      "The work is divided among the mutators: more mutators do not do more of it. Every run is a\n"
      "process of its own. A pause is the time for which the world stands still.\n",
      out);
}

static struct td_option option_live(uint64_t *live) {
  struct td_option option =
      td_option_number("live", "BYTES", live, 1 << 20, 0x1p40,
                       "size of the cache of service, as 1G; interp's definitions take a 16th");
  option.is_bytes = true;
  return option;
}

static int parse(struct request *request, int argc, char **argv) {
  const struct td_option options[] = {
      td_option_words("workload", "W[,W…]", &request->workloads, "workloads (default: all)"),
      td_option_words("collector", "C[,C…]", &request->collectors,
                      "collectors; ratios are taken to the first (default: all that were built)"),
      td_option_numbers("mutators", "N[,N…]", &request->mutators, 1, MUTATORS_MAX,
                        "numbers of allocating threads (default: 1)"),
      td_option_words("young", "on|off", &request->young,
                      "collect young objects apart, where a collector can (default: on); both "
                      "make a row each"),
      td_option_markers(&request->markers, "marking threads (default: all CPUs allowed)"),
      td_option_number(
          "depth", "D", &request->depth, 4, 28,
          "depth of the largest trees but the first (default: gcbench 18, binary-trees 20)"),
      td_option_number("operations", "N", &request->operations, 1, 1e12,
                       "operations of the other workloads"),
      option_live(&request->live),
      td_option_heap_max(&request->heap_max,
                         "heaps that are collected use as much, and no more (default: the "
                         "collector decides)"),
      td_option_rounds(&request->rounds, "runs per row, interleaved"),
      td_option_json(&request->json, "the rows as JSON"),
      td_option_plot(&request->plot),
      td_option_quiet(&request->quiet),
  };
  const struct td_usage usage = {
      .command = "gcbench",
      .summary = "Runs programs that mostly allocate, on collectors and with explicit free,\n"
                 "and tells their times, pauses and peak memory.",
      .options = options,
      .option_count = sizeof options / sizeof options[0],
      .print_details = print_details,
  };
  return td_args_parse(&usage, argc, argv);
}

static const char *workload_at(size_t index) {
  return index < WORKLOADS ? workloads[index].name : NULL;
}

static const char *collector_at(size_t index) {
  return index < COLLECTORS ? collectors[index].name : NULL;
}

static const struct workload *find_workload(const char *name) {
  for (size_t i = 0; i < WORKLOADS; i++)
    if (strcmp(workloads[i].name, name) == 0) return &workloads[i];
  td_args_no_such("gcbench", "workload", name, workload_at);
  return NULL;
}

static const struct collector *find_collector(const char *name) {
  for (size_t i = 0; i < COLLECTORS; i++)
    if (strcmp(collectors[i].name, name) == 0) return &collectors[i];
  td_args_no_such("gcbench", "collector", name, collector_at);
  return NULL;
}

static int check_words(const struct request *request) {
  for (size_t i = 0; i < request->workloads.count; i++)
    if (!find_workload(request->workloads.at[i])) return TD_EXIT_USAGE;
  for (size_t i = 0; i < request->young.count; i++)
    if (strcmp(request->young.at[i], "on") != 0 && strcmp(request->young.at[i], "off") != 0)
      return td_complain(TD_EXIT_USAGE, "gcbench: --young is 'on' or 'off', not '%s'",
                         request->young.at[i]);
  for (size_t i = 0; i < request->collectors.count; i++) {
    const struct collector *collector = find_collector(request->collectors.at[i]);
    if (!collector) return TD_EXIT_USAGE;
    if (!td_gcbench_is_there(collector->name))
      return td_complain(TD_EXIT_RESOURCES,
                         "gcbench: the collector %s was not built: install its headers "
                         "(Debian: %s) and build again",
                         collector->name, collector->package);
  }
  return TD_EXIT_OK;
}

/* Where nothing was chosen, everything there is takes part. */
static void fill_in(struct request *request) {
  for (size_t i = 0; i < WORKLOADS && request->workloads.count < i + 1; i++)
    request->workloads.at[request->workloads.count++] = workloads[i].name;
  if (request->young.count == 0) request->young.at[request->young.count++] = "on";
  if (request->mutators.count == 0) request->mutators.at[request->mutators.count++] = 1;
  if (request->collectors.count > 0) return;
  for (size_t i = 0; i < COLLECTORS; i++) {
    if (td_gcbench_is_there(collectors[i].name))
      request->collectors.at[request->collectors.count++] = collectors[i].name;
    else
      td_note("gcbench: the collector %s is left out: it was not built (Debian: %s)",
              collectors[i].name, collectors[i].package);
  }
}

/* A group's rows: one for each collector, or one for each choice of `young` that it has. */
static size_t rows_of_group(const struct request *request) {
  size_t count = 0;
  for (size_t i = 0; i < request->collectors.count; i++)
    count += find_collector(request->collectors.at[i])->has_young ? request->young.count : 1;
  return count;
}

static struct td_gcbench_row *make_group(const struct request *request, const char *workload,
                                         uint64_t mutators, struct td_gcbench_row *at) {
  struct td_gcbench_row *first = at;
  for (size_t i = 0; i < request->collectors.count; i++) {
    const struct collector *collector = find_collector(request->collectors.at[i]);
    size_t choices = collector->has_young ? request->young.count : 1;
    for (size_t k = 0; k < choices; k++)
      *at++ = (struct td_gcbench_row){.workload = workload,
                                      .collector = collector->name,
                                      .mutators = (unsigned)mutators,
                                      .has_young = collector->has_young,
                                      .young = collector->has_young &&
                                               strcmp(request->young.at[k], "on") == 0,
                                      .first = first};
  }
  return at;
}

static int make_rows(struct request *request) {
  size_t count = request->workloads.count * request->mutators.count * rows_of_group(request);
  struct td_gcbench_row *at = calloc(count, sizeof *at);
  if (!at) return td_complain(TD_EXIT_RESOURCES, "not enough memory");
  request->rows = (struct td_gcbench_rows){at, count, request->rounds, &request->host};
  for (size_t w = 0; w < request->workloads.count; w++)
    for (size_t m = 0; m < request->mutators.count; m++)
      at = make_group(request, request->workloads.at[w], request->mutators.at[m], at);
  return TD_EXIT_OK;
}

/* ---- Running --------------------------------------------------------------------------- */

static bool keep_lengths(struct td_gcbench_lengths *lengths, const struct td_pause_lengths *found) {
  return td_samples_add(&lengths->p50_ms, (double)found->p50_ns / 1e6) &&
         td_samples_add(&lengths->p99_ms, (double)found->p99_ns / 1e6) &&
         td_samples_add(&lengths->max_ms, (double)found->max_ns / 1e6);
}

static bool keep(struct td_gcbench_row *row, const struct td_gcbench_result *result) {
  for (unsigned i = 0; i < TD_PAUSE_BUCKETS; i++) {
    row->pauses.young[i] += result->pauses.young[i];
    row->pauses.full[i] += result->pauses.full[i];
  }
  return td_samples_add(&row->total_ms, (double)result->total_ns / 1e6) &&
         td_samples_add(&row->collect_ms, (double)result->collect_ns / 1e6) &&
         keep_lengths(&row->all, &result->all) && keep_lengths(&row->young_alone, &result->young) &&
         td_samples_add(&row->peak_bytes, (double)result->peak_bytes) &&
         td_samples_add(&row->collections, (double)result->collections) &&
         td_samples_add(&row->full, (double)result->full_collections);
}

static int run_row(const struct request *request, struct td_gcbench_row *row) {
  unsigned usual = find_workload(row->workload)->depth;
  unsigned depth = request->depth ? (unsigned)request->depth : usual;
  const struct td_gcbench_task task = {.workload = row->workload,
                                       .collector = row->collector,
                                       .mutators = row->mutators,
                                       .markers = (unsigned)request->markers,
                                       .depth = depth,
                                       .operations = request->operations,
                                       .young = row->young,
                                       .live_bytes = request->live,
                                       .heap_max_bytes = request->heap_max};
  struct td_gcbench_result result;
  int status = td_gcbench_run(&task, &result);
  if (status != TD_EXIT_OK) return status;
  if (!keep(row, &result))
    return td_complain(TD_EXIT_RESOURCES, "not enough memory for measurements");
  row->sum = result.sum;
  if (row->first->sum != row->sum)
    return td_complain(
        TD_EXIT_CHECK, "gcbench: %s on %s: the sum is %" PRIu64 ", on %s it is %" PRIu64,
        row->workload, row->collector, row->sum, row->first->collector, row->first->sum);
  return TD_EXIT_OK;
}

/* Every second round runs backwards: the memory that a process has left matters to the next one. */
static int run_all(struct request *request) {
  const struct td_gcbench_rows *rows = &request->rows;
  size_t done = 0, total = rows->count * request->rounds;
  td_progress_begin();
  for (uint64_t round = 0; round < request->rounds; round++)
    for (size_t i = 0; i < rows->count; i++) {
      char what[96];
      struct td_gcbench_row *row = &rows->at[round % 2 ? rows->count - 1 - i : i];
      snprintf(what, sizeof what, "%s on %s", row->workload, row->collector);
      td_progress(what, done++, total);
      int status = run_row(request, row);
      if (status != TD_EXIT_OK) return status;
    }
  td_progress_end();
  return TD_EXIT_OK;
}

/* ---- The command ----------------------------------------------------------------------- */

static void free_lengths(struct td_gcbench_lengths *lengths) {
  td_samples_free(&lengths->p50_ms);
  td_samples_free(&lengths->p99_ms);
  td_samples_free(&lengths->max_ms);
}

static void free_rows(const struct td_gcbench_rows *rows) {
  for (size_t i = 0; i < rows->count; i++) {
    struct td_gcbench_row *row = &rows->at[i];
    struct td_samples *all[] = {&row->total_ms, &row->collect_ms, &row->peak_bytes,
                                &row->collections, &row->full};
    for (size_t s = 0; s < sizeof all / sizeof all[0]; s++)
      td_samples_free(all[s]);
    free_lengths(&row->all);
    free_lengths(&row->young_alone);
  }
  free(rows->at);
}

int td_command_gcbench(int argc, char **argv) {
  struct request request = {.operations = OPERATIONS_DEFAULT, .live = LIVE_DEFAULT, .rounds = 3};
  int status = parse(&request, argc, argv);
  if (status != TD_ARGS_GO_ON) return status;
  td_progress_setup(request.quiet);
  const struct td_output_option outputs[] = {{"json", request.json, true},
                                             {"plot", request.plot, false}};
  status = td_plot_check(request.plot);
  if (status == TD_EXIT_OK) status = td_outputs_check("gcbench", outputs, 2);
  if (status == TD_EXIT_OK) status = check_words(&request);
  if (status == TD_EXIT_OK) {
    td_host_read(&request.host);
    fill_in(&request);
    status = make_rows(&request);
  }
  td_noise_begin(&request.host.noise);
  if (status == TD_EXIT_OK) status = run_all(&request);
  td_noise_end(&request.host.noise);
  if (status == TD_EXIT_OK) status = td_gcbench_print(&request.rows, td_human(request.json));
  if (status == TD_EXIT_OK) status = td_gcbench_write_json(&request.rows, request.json);
  if (status == TD_EXIT_OK) status = td_gcbench_plot(&request.rows, request.plot);
  free_rows(&request.rows);
  return status;
}
