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
#include "bench/gcbench/choice.h"
#include "bench/gcbench/latencies.h"
#include "bench/gcbench/report.h"
#include "bench/gcbench/run.h"

#define MUTATORS_MAX 64u
#define OPERATIONS_DEFAULT UINT64_C(4000000)
#define LIVE_DEFAULT (UINT64_C(256) << 20)
#define FACTOR_DEFAULT 2.0
#define SECONDS_DEFAULT 5.0

struct request {
  struct td_words workloads, collectors, young;
  struct td_numbers mutators;
  uint64_t depth, operations, live, heap_max, markers, rounds, rate;
  double factor, seconds; /* 0: not given */
  const char *json, *plot, *report;
  bool quiet;
  struct td_host host;
  struct td_gcbench_rows rows;
};

/* ---- The command line ------------------------------------------------------------------ */

static void print_details(FILE *out) {
  td_gcbench_print_choice(out);
  fputs(
      "The work is divided among the mutators: more mutators do not do more of it. Every run is a\n"
      "process of its own. A pause is the time for which the world stands still. Where nothing is\n"
      "chosen, latency and what is concurrent or incremental do not take part; with latency\n"
      "tide-concurrent does, and tide with and without young collections.\n",
      out);
}

static struct td_option option_live(uint64_t *live) {
  struct td_option option =
      td_option_number("live", "BYTES", live, 1 << 20, 0x1p40,
                       "size of the cache of service and of latency's map, as 1G; interp's "
                       "definitions take a 16th");
  option.is_bytes = true;
  return option;
}

static int parse(struct request *request, int argc, char **argv) {
  const struct td_option options[] = {
      td_option_words("workload", "W[,W…]", &request->workloads,
                      "workloads (default: all but latency)"),
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
      td_option_real("factor", "F", &request->factor, 1, 1000,
                     "latency: heaps grow to at most F times --live (default: 2)"),
      td_option_real("seconds", "S", &request->seconds, 0.01, 3600,
                     "latency: how long a run is measured (default: 5)"),
      td_option_number("rate", "N", &request->rate, 0, 1e9,
                       "latency: N operations a second, each timed from when it is due (default: "
                       "one after another)"),
      td_option_rounds(&request->rounds, "runs per row, interleaved"),
      td_option_json(&request->json, "the rows as JSON"),
      td_option_plot(&request->plot),
      td_option_report(&request->report),
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

static int check_words(const struct request *request) {
  for (size_t i = 0; i < request->workloads.count; i++)
    if (!td_gcbench_find_workload(request->workloads.at[i])) return TD_EXIT_USAGE;
  for (size_t i = 0; i < request->young.count; i++)
    if (strcmp(request->young.at[i], "on") != 0 && strcmp(request->young.at[i], "off") != 0)
      return td_complain(TD_EXIT_USAGE, "gcbench: --young is 'on' or 'off', not '%s'",
                         request->young.at[i]);
  for (size_t i = 0; i < request->collectors.count; i++) {
    const struct td_gcbench_collector *collector =
        td_gcbench_find_collector(request->collectors.at[i]);
    if (!collector) return TD_EXIT_USAGE;
    if (!td_gcbench_is_there(collector->program))
      return td_complain(TD_EXIT_RESOURCES,
                         "gcbench: the collector %s was not built: install its headers "
                         "(Debian: %s) and build again",
                         collector->name, collector->package);
  }
  return TD_EXIT_OK;
}

static bool asks_for_latency(const struct request *request) {
  for (size_t i = 0; i < request->workloads.count; i++)
    if (td_gcbench_find_workload(request->workloads.at[i])->is_latency) return true;
  return false;
}

static int check_latency(const struct request *request) {
  const char *given = request->factor > 0    ? "factor"
                      : request->seconds > 0 ? "seconds"
                      : request->rate > 0    ? "rate"
                                             : NULL;
  if (given && !asks_for_latency(request))
    return td_complain(TD_EXIT_USAGE, "gcbench: --%s is an option of --workload latency", given);
  if (request->factor > 0 && request->heap_max > 0)
    return td_complain(TD_EXIT_USAGE, "gcbench: --factor and --heap-max are two limits for one");
  return TD_EXIT_OK;
}

static void choose_collectors(struct request *request) {
  bool latency = asks_for_latency(request);
  const struct td_gcbench_collector *c;
  for (size_t i = 0; (c = td_gcbench_collector_at(i)); i++) {
    if (c->is_rare || (c->is_for_latency && !latency)) continue;
    if (td_gcbench_is_there(c->program))
      request->collectors.at[request->collectors.count++] = c->name;
    else
      td_note("gcbench: the collector %s is left out: it was not built (Debian: %s)", c->name,
              c->package);
  }
}

static void choose_workloads(struct request *request) {
  const struct td_gcbench_workload *w;
  for (size_t i = 0; (w = td_gcbench_workload_at(i)); i++)
    if (!w->is_latency) request->workloads.at[request->workloads.count++] = w->name;
}

/* Where nothing was chosen, everything there is takes part. */
static void fill_in(struct request *request) {
  if (request->workloads.count == 0) choose_workloads(request);
  if (request->young.count == 0) {
    if (asks_for_latency(request)) request->young.at[request->young.count++] = "off";
    request->young.at[request->young.count++] = "on";
  }
  if (request->mutators.count == 0) request->mutators.at[request->mutators.count++] = 1;
  if (request->factor == 0) request->factor = FACTOR_DEFAULT;
  if (request->seconds == 0) request->seconds = SECONDS_DEFAULT;
  if (request->collectors.count == 0) choose_collectors(request);
}

/* A group's rows: one for each collector, or one for each choice of `young` that it has. */
static size_t rows_of_group(const struct request *request) {
  size_t count = 0;
  for (size_t i = 0; i < request->collectors.count; i++)
    count +=
        td_gcbench_find_collector(request->collectors.at[i])->has_young ? request->young.count : 1;
  return count;
}

static struct td_gcbench_row *make_group(const struct request *request, const char *workload,
                                         uint64_t mutators, struct td_gcbench_row *at) {
  struct td_gcbench_row *first = at;
  for (size_t i = 0; i < request->collectors.count; i++) {
    const struct td_gcbench_collector *collector =
        td_gcbench_find_collector(request->collectors.at[i]);
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
  uint64_t limit = (uint64_t)(request->factor * (double)request->live);
  request->rows =
      (struct td_gcbench_rows){.at = at,
                               .count = count,
                               .rounds = request->rounds,
                               .host = &request->host,
                               .live_bytes = request->live,
                               .limit_bytes = request->heap_max ? request->heap_max : limit,
                               .rate = request->rate,
                               .seconds = request->seconds};
  for (size_t w = 0; w < request->workloads.count; w++)
    for (size_t m = 0; m < request->mutators.count; m++)
      at = make_group(request, request->workloads.at[w], request->mutators.at[m], at);
  for (size_t i = 0; i < count; i++) {
    struct td_gcbench_row *row = &request->rows.at[i];
    if (!td_gcbench_find_workload(row->workload)->is_latency) continue;
    row->latency = calloc(1, sizeof *row->latency);
    if (!row->latency) return td_complain(TD_EXIT_RESOURCES, "not enough memory");
  }
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
  for (unsigned i = 0; i < TD_STOPS; i++)
    if (result->pauses.stop_ns[i] > row->pauses.stop_ns[i])
      row->pauses.stop_ns[i] = result->pauses.stop_ns[i];
  return td_samples_add(&row->total_ms, (double)result->total_ns / 1e6) &&
         td_samples_add(&row->collect_ms, (double)result->collect_ns / 1e6) &&
         keep_lengths(&row->all, &result->all) && keep_lengths(&row->young_alone, &result->young) &&
         td_samples_add(&row->peak_bytes, (double)result->peak_bytes) &&
         td_samples_add(&row->collections, (double)result->collections) &&
         td_samples_add(&row->full, (double)result->full_collections) &&
         (!row->latency || td_latencies_keep(row->latency, result));
}

static int run_row(const struct request *request, struct td_gcbench_row *row) {
  const struct td_gcbench_collector *collector = td_gcbench_find_collector(row->collector);
  const struct td_gcbench_rows *rows = &request->rows;
  unsigned usual = td_gcbench_find_workload(row->workload)->depth;
  unsigned depth = request->depth ? (unsigned)request->depth : usual;
  const struct td_gcbench_task task = {.workload = row->workload,
                                       .collector = row->collector,
                                       .program = collector->program,
                                       .mutators = row->mutators,
                                       .markers = (unsigned)request->markers,
                                       .depth = depth,
                                       .operations = request->operations,
                                       .young = row->young,
                                       .concurrent = collector->is_concurrent,
                                       .live_bytes = request->live,
                                       .run_ns = (uint64_t)(rows->seconds * 1e9),
                                       .rate = rows->rate,
                                       .heap_max_bytes =
                                           row->latency ? rows->limit_bytes : request->heap_max};
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
    td_latencies_free(row->latency);
  }
  free(rows->at);
}

int td_command_gcbench(int argc, char **argv) {
  struct request request = {.operations = OPERATIONS_DEFAULT, .live = LIVE_DEFAULT, .rounds = 3};
  int status = parse(&request, argc, argv);
  if (status != TD_ARGS_GO_ON) return status;
  td_progress_setup(request.quiet);
  const struct td_output_option outputs[] = {{"json", request.json, true},
                                             {"plot", request.plot, false},
                                             {"report", request.report, false}};
  status = td_plot_check(request.plot);
  if (status == TD_EXIT_OK) status = td_outputs_check("gcbench", outputs, 3);
  if (status == TD_EXIT_OK) status = check_words(&request);
  if (status == TD_EXIT_OK) status = check_latency(&request);
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
  if (status == TD_EXIT_OK) status = td_gcbench_write_page(&request.rows, request.report);
  if (status == TD_EXIT_OK) status = td_gcbench_plot(&request.rows, request.plot);
  free_rows(&request.rows);
  return status;
}
