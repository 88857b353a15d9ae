/* tidemark queue: the queues alone, after §6.2 and Fig. 2 of the BWoS paper (OSDI 2023). */
#include "bench/queue/queue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/complain.h"
#include "bench/cli/output.h"
#include "bench/cli/plot.h"
#include "bench/cli/progress.h"
#include "bench/queue/interference.h"
#include "bench/queue/output.h"
#include "bench/queue/patterns.h"
#include "bench/queue/plot.h"
#include "bench/queue/shared.h"
#include "bench/queue/single.h"

#define BATCH_MOST 32u

struct request {
  const char *experiment, *json, *plot;
  struct td_words engines, patterns, policies;
  struct td_reals stolen, balance;
  struct td_numbers frequencies;
  uint64_t threads, rounds, blocks, entries, batch;
  double run_ms;
  bool quiet;
};

static const char *const experiments[] = {[TD_QUEUE_SINGLE] = "single",
                                          [TD_QUEUE_STOLEN] = "stolen",
                                          [TD_QUEUE_POOL] = "pool",
                                          [TD_QUEUE_INTERFERENCE] = "interference"};
#define EXPERIMENTS (sizeof experiments / sizeof experiments[0])

static const char details[] =
    "single        one thread. Patterns: fill-drain, and a collector's gets and puts, foreseeable\n"
    "              (gc-predictable) or not (gc-random); each with the owner's cursor in a local\n"
    "              variable and in memory\n"
    "stolen        an owner that fills and drains, a thief that takes its percentage\n"
    "pool          half of N threads own, the others steal; at balance 100 every thread\n"
    "              handles as many items, at 0 nobody steals\n"
    "interference  the owner's throughput while a second thread steals (pattern steals) or asks\n"
    "              for sizes (sizes), --frequency times a second; and two threads on one or 64\n"
    "              cache lines (store-1-line, store-64-lines, add-1-line, add-64-lines)\n"
    "Ratios are to serial, a plain array stack, in the same rounds. Runs in which a thread lost\n"
    "its CPU are discarded, counted and repeated. Every run checks that what came out is what\n"
    "went in; exit status 1 if not.";

static int parse(struct request *r, int argc, char **argv) {
  const struct td_option options[] = {
      {.name = "experiment",
       .argument = "X",
       .word = &r->experiment,
       .text = "single, stolen, pool or interference"},
      {.name = "engine",
       .argument = "E[,E…]",
       .words = &r->engines,
       .text = "queues (all; in pool: bwos,abp)"},
      {.name = "pattern",
       .argument = "P[,P…]",
       .words = &r->patterns,
       .text = "of single and interference (all)"},
      {.name = "stolen",
       .argument = "PERCENT[,…]",
       .reals = &r->stolen,
       .min = 0,
       .max = 100,
       .text = "of stolen: the thief's part of the items\n(0,1,2,5,10,15,20,25,30)"},
      {.name = "balance",
       .argument = "PERCENT[,…]",
       .reals = &r->balance,
       .min = 0,
       .max = 100,
       .text = "of pool (0,10,50,100)"},
      {.name = "policy",
       .argument = "V[,V…]",
       .words = &r->policies,
       .text = "of pool: victim choice (random). random, sequential,\nlast, best-of-two, "
               "best-of-many, numa, random+prob,\nnuma+prob"},
      {.name = "frequency",
       .argument = "F[,F…]",
       .numbers = &r->frequencies,
       .min = 0,
       .max = 1e9,
       .text = "of interference: events per second\n(0,10K,100K,1M,10M)"},
      {.name = "threads",
       .argument = "N",
       .number = &r->threads,
       .min = 1,
       .max = 100000,
       .text = "of pool, 2 to the CPUs allowed (all of them)"},
      {.name = "blocks",
       .argument = "B",
       .number = &r->blocks,
       .min = 1,
       .max = UINT32_MAX,
       .text = "blocks of a queue (64), a power of two"},
      {.name = "entries",
       .argument = "E",
       .number = &r->entries,
       .min = 1,
       .max = UINT32_MAX,
       .text = "items of a block (128), a power of two"},
      {.name = "batch",
       .argument = "N",
       .number = &r->batch,
       .min = 1,
       .max = BATCH_MOST,
       .text = "most items that a thief takes at once (32)"},
      {.name = "rounds",
       .argument = "R",
       .number = &r->rounds,
       .min = 1,
       .max = 10000,
       .text = "runs per row (15)"},
      {.name = "run-ms",
       .argument = "MS",
       .real = &r->run_ms,
       .min = 0.01,
       .max = 10000,
       .text = "how long a run takes, about (2)"},
      {.name = "json", .argument = "FILE|-", .word = &r->json, .text = "rows as JSON"},
      {.name = "plot",
       .argument = "FILE.svg|.png",
       .word = &r->plot,
       .text = "charts (needs gnuplot)"},
      {.name = "quiet", .flag = &r->quiet, .text = "no progress line"},
  };
  const struct td_usage usage = {
      .command = "queue",
      .summary =
          "Measures the queues alone, as the BWoS paper (OSDI 2023) does in §6.2 and Fig. 2.",
      .options = options,
      .option_count = sizeof options / sizeof options[0],
      .details = details,
  };
  return td_args_parse(&usage, argc, argv);
}

/* ---- From the request to the bench ----------------------------------------------------- */

static int choose_experiment(const struct request *r, struct td_queue_bench *bench) {
  if (!r->experiment)
    return td_complain(TD_EXIT_USAGE,
                       "queue: --experiment is missing: single, stolen, pool or interference");
  for (size_t i = 0; i < EXPERIMENTS; i++) {
    if (strcmp(r->experiment, experiments[i]) != 0) continue;
    bench->experiment = (enum td_queue_experiment)i;
    bench->experiment_name = experiments[i];
    return TD_EXIT_OK;
  }
  return td_complain(TD_EXIT_USAGE,
                     "queue: no experiment '%s'; there are: single stolen pool interference",
                     r->experiment);
}

/* An option that would have no effect is more likely a mistake. */
static int refuse_idle_options(const struct request *r, const struct td_queue_bench *bench) {
  enum td_queue_experiment x = bench->experiment;
  const struct {
    const char *option;
    bool given, has_effect;
  } rules[] = {
      {"pattern", r->patterns.count > 0, x == TD_QUEUE_SINGLE || x == TD_QUEUE_INTERFERENCE},
      {"stolen", r->stolen.count > 0, x == TD_QUEUE_STOLEN},
      {"balance", r->balance.count > 0, x == TD_QUEUE_POOL},
      {"policy", r->policies.count > 0, x == TD_QUEUE_POOL},
      {"frequency", r->frequencies.count > 0, x == TD_QUEUE_INTERFERENCE},
  };
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
    if (rules[i].given && !rules[i].has_effect)
      return td_complain(TD_EXIT_USAGE, "queue: --%s has no effect with --experiment %s",
                         rules[i].option, bench->experiment_name);
  return TD_EXIT_OK;
}

static int choose_kinds(const struct request *r, struct td_queue_bench *bench) {
  for (size_t i = 0; i < r->engines.count; i++) {
    const char *name = r->engines.at[i];
    const struct td_queue_kind *kind = td_queue_kind_find(name);
    if (!kind)
      return td_complain(TD_EXIT_USAGE,
                         "queue: no queue '%s'; there are: bwos bwos-paper bwos-fifo abp abp-sc "
                         "chase-lev mutex serial",
                         name);
    for (size_t k = 0; k < bench->kind_count; k++)
      if (bench->kinds[k] == kind)
        return td_complain(TD_EXIT_USAGE, "queue: --engine: '%s' is there twice", name);
    bench->kinds[bench->kind_count++] = kind;
  }
  for (size_t i = 0; r->engines.count == 0 && td_queue_kind_at(i); i++)
    if (bench->experiment != TD_QUEUE_POOL || i == 0 ||
        strcmp(td_queue_kind_at(i)->name, "abp") == 0)
      bench->kinds[bench->kind_count++] = td_queue_kind_at(i);
  if (bench->experiment != TD_QUEUE_SINGLE && bench->kind_count == 1 &&
      bench->kinds[0] == td_queue_kind_ceiling())
    return td_complain(TD_EXIT_USAGE, "queue: nothing can be stolen from serial: nothing to do");
  return TD_EXIT_OK;
}

static int choose_patterns(const struct request *r, struct td_queue_bench *bench) {
  static const char *const single[] = {"fill-drain", "gc-predictable", "gc-random"};
  static const char *const interference[] = {"steals",         "sizes",      "store-1-line",
                                             "store-64-lines", "add-1-line", "add-64-lines"};
  bool one = bench->experiment == TD_QUEUE_SINGLE;
  if (!one && bench->experiment != TD_QUEUE_INTERFERENCE) return TD_EXIT_OK;
  const char *const *all = one ? single : interference;
  size_t count = one ? sizeof single / sizeof single[0] : sizeof interference / sizeof all[0];
  for (size_t i = 0; r->patterns.count == 0 && i < count; i++)
    bench->patterns[bench->pattern_count++] = all[i];
  for (size_t i = 0; i < r->patterns.count; i++) {
    size_t p = 0;
    while (p < count && strcmp(all[p], r->patterns.at[i]) != 0)
      p++;
    if (p == count)
      return td_complain(TD_EXIT_USAGE, "queue: %s has no pattern '%s'; see tidemark queue --help",
                         bench->experiment_name, r->patterns.at[i]);
    bench->patterns[bench->pattern_count++] = all[p];
  }
  return TD_EXIT_OK;
}

static int choose_policies(const struct request *r, struct td_queue_bench *bench) {
  if (r->policies.count == 0) bench->policies[bench->policy_count++] = TD_POLICY_RANDOM;
  for (size_t i = 0; i < r->policies.count; i++) {
    if (!td_policy_find(r->policies.at[i], &bench->policies[i]))
      return td_complain(TD_EXIT_USAGE,
                         "queue: no policy '%s'; there are: random sequential last best-of-two "
                         "best-of-many numa random+prob numa+prob",
                         r->policies.at[i]);
    bench->policy_count++;
  }
  return TD_EXIT_OK;
}

static size_t choose_reals(const struct td_reals *asked, const double *usual, size_t count,
                           double *chosen) {
  const double *from = asked->count ? asked->at : usual;
  if (asked->count) count = asked->count;
  memcpy(chosen, from, count * sizeof *chosen);
  return count;
}

static void choose_numbers(const struct request *r, struct td_queue_bench *bench) {
  static const double stolen[] = {0, 1, 2, 5, 10, 15, 20, 25, 30}, balance[] = {0, 10, 50, 100},
                      frequencies[] = {0, 1e4, 1e5, 1e6, 1e7};
  struct td_reals asked = {.count = r->frequencies.count};
  for (size_t i = 0; i < asked.count; i++)
    asked.at[i] = (double)r->frequencies.at[i];
  bench->stolen_count =
      choose_reals(&r->stolen, stolen, sizeof stolen / sizeof stolen[0], bench->stolen);
  bench->balance_count =
      choose_reals(&r->balance, balance, sizeof balance / sizeof balance[0], bench->balance);
  bench->frequency_count = choose_reals(
      &asked, frequencies, sizeof frequencies / sizeof frequencies[0], bench->frequencies);
  bench->rounds = (unsigned)r->rounds;
  bench->batch = (uint32_t)r->batch;
  bench->run_ns = r->run_ms * 1e6;
}

static int choose_threads(const struct request *r, struct td_queue_bench *bench) {
  unsigned most = bench->cpus.count, least = 2;
  if (bench->experiment == TD_QUEUE_SINGLE) most = least = 1;
  if (r->threads > bench->cpus.count)
    return td_complain(TD_EXIT_USAGE, "queue: --threads: %llu threads, but %u CPU(s) allowed",
                       (unsigned long long)r->threads, bench->cpus.count);
  if (most < least)
    return td_complain(TD_EXIT_RESOURCES, "queue: %s needs two CPUs, and %u is allowed",
                       bench->experiment_name, most);
  if (bench->experiment != TD_QUEUE_POOL) most = least;
  if (r->threads && (r->threads < least || r->threads > most))
    return td_complain(TD_EXIT_USAGE, "queue: --threads: %s has %s%u, not %llu",
                       bench->experiment_name, most > least ? "at least " : "", least,
                       (unsigned long long)r->threads);
  bench->threads = r->threads ? (unsigned)r->threads : most;
  return TD_EXIT_OK;
}

static int choose_capacity(const struct request *r, struct td_queue_bench *bench) {
  bench->blocks = (uint32_t)r->blocks;
  bench->entries = (uint32_t)r->entries;
  uint64_t capacity = r->blocks * r->entries, room = td_host_memory_available() / 2;
  for (size_t i = 0; i <= bench->kind_count; i++) {
    const struct td_queue_kind *kind =
        i < bench->kind_count ? bench->kinds[i] : td_queue_kind_ceiling();
    size_t bytes = kind->storage_bytes(bench->blocks, bench->entries);
    if (bytes == 0)
      return td_complain(TD_EXIT_USAGE,
                         "queue: %s cannot have %u blocks of %u items: both must be powers of two, "
                         "2 or more, and not too large",
                         kind->name, bench->blocks, bench->entries);
    if (bytes > room / bench->threads)
      return td_complain(TD_EXIT_USAGE,
                         "queue: %u blocks of %u items are %zu bytes for each of %u queue(s) of "
                         "%s: too large for this machine",
                         bench->blocks, bench->entries, bytes, bench->threads, kind->name);
  }
  for (size_t i = 0; i < bench->pattern_count; i++)
    if (strncmp(bench->patterns[i], "gc-", 3) == 0 && capacity < TD_QUEUE_PATTERN_DEPTH)
      return td_complain(TD_EXIT_USAGE, "queue: %s needs room for %u items, not %llu",
                         bench->patterns[i], TD_QUEUE_PATTERN_DEPTH, (unsigned long long)capacity);
  /* What every queue has room for, whatever thieves do. */
  uint64_t fill = capacity / 2 / TD_QUEUE_PUBLISH_ITEMS * TD_QUEUE_PUBLISH_ITEMS;
  if (fill == 0)
    return td_complain(TD_EXIT_USAGE,
                       "queue: %u blocks of %u items are too few to measure: %u "
                       "items or more",
                       bench->blocks, bench->entries, 2 * TD_QUEUE_PUBLISH_ITEMS);
  bench->fill = fill < UINT32_MAX ? (uint32_t)fill : 1u << 31;
  return TD_EXIT_OK;
}

static int prepare(const struct request *r, struct td_queue_bench *bench) {
  int status = choose_experiment(r, bench);
  if (status == TD_EXIT_OK) status = refuse_idle_options(r, bench);
  if (status == TD_EXIT_OK) status = choose_kinds(r, bench);
  if (status == TD_EXIT_OK) status = choose_patterns(r, bench);
  if (status == TD_EXIT_OK) status = choose_policies(r, bench);
  if (status != TD_EXIT_OK) return status;
  choose_numbers(r, bench);
  td_host_read(&bench->host);
  if (!td_cpus_read(&bench->cpus)) return td_complain(TD_EXIT_RESOURCES, "queue: no memory");
  status = choose_threads(r, bench);
  if (status == TD_EXIT_OK) status = choose_capacity(r, bench);
  if (status == TD_EXIT_OK) status = td_output_check(r->json);
  if (status == TD_EXIT_OK) status = td_plot_check(r->plot);
  if (status == TD_EXIT_OK) status = td_queue_bench_allocate(bench);
  return status;
}

static int add_cells(struct td_queue_bench *bench) {
  static bool (*const add[])(struct td_queue_bench *) = {
      [TD_QUEUE_SINGLE] = td_queue_single_cells,
      [TD_QUEUE_STOLEN] = td_queue_stolen_cells,
      [TD_QUEUE_POOL] = td_queue_pool_cells,
      [TD_QUEUE_INTERFERENCE] = td_queue_interference_cells,
  };
  if (add[bench->experiment](bench)) return TD_EXIT_OK;
  return td_complain(TD_EXIT_RESOURCES, "queue: no memory");
}

int td_command_queue(int argc, char **argv) {
  struct request request = {.rounds = 15, .blocks = 64, .entries = 128, .batch = 32, .run_ms = 2};
  int status = parse(&request, argc, argv);
  if (status != TD_ARGS_GO_ON) return status;
  td_progress_setup(request.quiet);
  struct td_queue_bench *bench = calloc(1, sizeof *bench);
  if (!bench) return td_complain(TD_EXIT_RESOURCES, "queue: no memory");
  status = prepare(&request, bench);
  if (status == TD_EXIT_OK) status = add_cells(bench);
  if (status == TD_EXIT_OK) status = td_queue_bench_measure(bench);
  if (status == TD_EXIT_OK) {
    td_queue_print(bench, td_human(request.json));
    status = td_queue_write_json(bench, request.json);
  }
  if (status == TD_EXIT_OK) status = td_queue_plot(bench, request.plot);
  td_queue_bench_free(bench);
  free(bench);
  return status;
}
