/* SPDX-License-Identifier: MIT */
#include "bench/queue/choose.h"

#include <stdlib.h>
#include <string.h>

#include "bench/cli/complain.h"
#include "bench/cli/output.h"
#include "bench/cli/plot.h"
#include "bench/queue/forkjoin/tbb.h"
#include "bench/queue/interference.h"
#include "bench/queue/patterns.h"
#include "bench/queue/rivals.h"
#include "bench/queue/single.h"
#include "marker/queue/policies.h"
#include "tide/advanced.h"

static const char *const experiments[] = {[TD_QUEUE_SINGLE] = "single",
                                          [TD_QUEUE_STOLEN] = "stolen",
                                          [TD_QUEUE_POOL] = "pool",
                                          [TD_QUEUE_INTERFERENCE] = "interference",
                                          [TD_QUEUE_FORKJOIN] = "forkjoin"};
#define EXPERIMENTS (sizeof experiments / sizeof experiments[0])

/* ---- The names there are --------------------------------------------------------------- */

static const char *experiment_at(size_t index) {
  return index < EXPERIMENTS ? experiments[index] : NULL;
}

static const char *kind_at(size_t index) {
  const struct td_queue_kind *kind = td_queue_kind_at(index);
  return kind ? kind->name : NULL;
}

/* ---- Choices --------------------------------------------------------------------------- */

static int choose_experiment(const struct td_queue_request *r, struct td_queue_bench *bench) {
  if (!r->experiment)
    return td_complain(
        TD_EXIT_USAGE,
        "queue: --experiment is missing: single, stolen, pool, interference or forkjoin");
  for (size_t i = 0; i < EXPERIMENTS; i++) {
    if (strcmp(r->experiment, experiments[i]) != 0) continue;
    bench->experiment = (enum td_queue_experiment)i;
    bench->experiment_name = experiments[i];
    return TD_EXIT_OK;
  }
  return td_args_no_such("queue", "experiment", r->experiment, experiment_at);
}

/* Refuses options that would have no effect: they are more likely a mistake. */
static int refuse_idle_options(const struct td_queue_request *r,
                               const struct td_queue_bench *bench) {
  enum td_queue_experiment x = bench->experiment;
  const struct {
    const char *option;
    bool given, has_effect;
  } rules[] = {
      {"pattern", r->patterns.count > 0, x == TD_QUEUE_SINGLE || x == TD_QUEUE_INTERFERENCE},
      {"stolen", r->stolen.count > 0, x == TD_QUEUE_STOLEN},
      {"balance", r->balance.count > 0, x == TD_QUEUE_POOL},
      {"batch", r->batches.count > 0, x == TD_QUEUE_STOLEN || x == TD_QUEUE_POOL},
      {"policy", r->policies.count > 0, x == TD_QUEUE_POOL},
      {"frequency", r->frequencies.count > 0, x == TD_QUEUE_INTERFERENCE},
      {"task", r->tasks.count > 0, x == TD_QUEUE_FORKJOIN},
      {"depth", r->depth > 0, x == TD_QUEUE_FORKJOIN},
  };
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
    if (rules[i].given && !rules[i].has_effect)
      return td_complain(TD_EXIT_USAGE, "queue: --%s has no effect with --experiment %s",
                         rules[i].option, bench->experiment_name);
  return TD_EXIT_OK;
}

static int choose_forkjoin_kind(const char *name, const struct td_queue_kind **kind) {
  bool is_tbb = strcmp(name, "tbb") == 0;
  *kind = is_tbb ? td_forkjoin_tbb() : td_queue_kind_find(name);
  if (is_tbb && !*kind)
    return td_complain(TD_EXIT_USAGE,
                       "queue: tbb: oneTBB (Debian: libtbb-dev) is not in this build");
  if (!*kind) return td_args_no_such("queue", "queue", name, kind_at);
  if (is_tbb || td_queue_is_lifo(*kind)) return TD_EXIT_OK;
  return td_complain(TD_EXIT_USAGE,
                     "queue: forkjoin is for queues whose owner gets the newest item, not for %s",
                     name);
}

static int choose_kind(const struct td_queue_bench *bench, const char *name,
                       const struct td_queue_kind **kind) {
  if (bench->experiment == TD_QUEUE_FORKJOIN) return choose_forkjoin_kind(name, kind);
  *kind = td_queue_kind_find(name);
  return *kind ? TD_EXIT_OK : td_args_no_such("queue", "queue", name, kind_at);
}

static bool is_usual(const struct td_queue_bench *bench, const struct td_queue_kind *kind) {
  if (bench->experiment == TD_QUEUE_FORKJOIN) return td_queue_is_lifo(kind);
  return bench->experiment != TD_QUEUE_POOL || kind == td_queue_kind_at(0) ||
         strcmp(kind->name, "abp") == 0;
}

static int choose_kinds(const struct td_queue_request *r, struct td_queue_bench *bench) {
  for (size_t i = 0; i < r->engines.count; i++) {
    const char *name = r->engines.at[i];
    const struct td_queue_kind *kind;
    int status = choose_kind(bench, name, &kind);
    if (status != TD_EXIT_OK) return status;
    for (size_t k = 0; k < bench->kind_count; k++)
      if (bench->kinds[k] == kind)
        return td_complain(TD_EXIT_USAGE, "queue: --engine: '%s' is there twice", name);
    bench->kinds[bench->kind_count++] = kind;
  }
  for (size_t i = 0; r->engines.count == 0 && td_queue_kind_at(i); i++)
    if (is_usual(bench, td_queue_kind_at(i)))
      bench->kinds[bench->kind_count++] = td_queue_kind_at(i);
  if (r->engines.count == 0 && bench->experiment == TD_QUEUE_FORKJOIN && td_forkjoin_tbb())
    bench->kinds[bench->kind_count++] = td_forkjoin_tbb();
  if (bench->experiment != TD_QUEUE_SINGLE && bench->kind_count == 1 &&
      bench->kinds[0] == td_queue_kind_ceiling())
    return td_complain(TD_EXIT_USAGE, "queue: nothing can be stolen from serial: nothing to do");
  return TD_EXIT_OK;
}

static int choose_patterns(const struct td_queue_request *r, struct td_queue_bench *bench) {
  const char *(*at)(size_t) = NULL;
  if (bench->experiment == TD_QUEUE_SINGLE) at = td_queue_single_pattern;
  if (bench->experiment == TD_QUEUE_INTERFERENCE) at = td_queue_interference_pattern;
  if (!at) return TD_EXIT_OK;
  for (size_t i = 0; r->patterns.count == 0 && at(i); i++)
    bench->patterns[bench->pattern_count++] = at(i);
  for (size_t i = 0; i < r->patterns.count; i++) {
    size_t p = 0;
    while (at(p) && strcmp(at(p), r->patterns.at[i]) != 0)
      p++;
    if (!at(p)) return td_args_no_such("queue", "pattern", r->patterns.at[i], at);
    bench->patterns[bench->pattern_count++] = at(p);
  }
  return TD_EXIT_OK;
}

static int choose_policies(const struct td_queue_request *r, struct td_queue_bench *bench) {
  if (r->policies.count == 0) bench->policies[bench->policy_count++] = td_policies[0];
  for (size_t i = 0; i < r->policies.count; i++) {
    bench->policies[i] = td_policy_find(r->policies.at[i]);
    if (!bench->policies[i])
      return td_args_no_such("queue", "policy", r->policies.at[i], tide_policy_name);
    for (size_t p = 0; p < i; p++)
      if (bench->policies[p] == bench->policies[i])
        return td_complain(TD_EXIT_USAGE, "queue: --policy: '%s' is there twice",
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

static void choose_numbers(const struct td_queue_request *r, struct td_queue_bench *bench) {
  static const double tasks[] = {0, 50, 200, 1000}, stolen[] = {0, 1, 2, 5, 10, 15, 20, 25, 30},
                      balance[] = {0, 10, 50, 100}, frequencies[] = {0, 1e4, 1e5, 1e6, 1e7};
  struct td_reals asked = {.count = r->frequencies.count};
  for (size_t i = 0; i < asked.count; i++)
    asked.at[i] = (double)r->frequencies.at[i];
  bench->stolen_count =
      choose_reals(&r->stolen, stolen, sizeof stolen / sizeof stolen[0], bench->stolen);
  bench->balance_count =
      choose_reals(&r->balance, balance, sizeof balance / sizeof balance[0], bench->balance);
  bench->frequency_count = choose_reals(
      &asked, frequencies, sizeof frequencies / sizeof frequencies[0], bench->frequencies);
  bench->task_count = choose_reals(&r->tasks, tasks, sizeof tasks / sizeof tasks[0], bench->tasks);
  bench->depth = r->depth ? (unsigned)r->depth : 12;
  bench->rounds = (unsigned)r->rounds;
  bench->batch_count = r->batches.count ? r->batches.count : 1;
  bench->batches[0] = TD_QUEUE_BATCH_MAX;
  for (size_t i = 0; i < r->batches.count; i++)
    bench->batches[i] = (uint32_t)r->batches.at[i];
  bench->run_ns = r->run_ms * 1e6;
}

static int choose_threads(const struct td_queue_request *r, struct td_queue_bench *bench) {
  unsigned most = bench->cpus.count, least = 2;
  if (bench->experiment == TD_QUEUE_FORKJOIN) {
    if (r->threads > TD_CREW_MAX)
      return td_complain(TD_EXIT_USAGE, "queue: --threads: %llu threads, but %u is the most",
                         (unsigned long long)r->threads, TD_CREW_MAX);
    bench->threads = r->threads ? (unsigned)r->threads : most;
    return TD_EXIT_OK;
  }
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

static int choose_capacity(const struct td_queue_request *r, struct td_queue_bench *bench) {
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
  /* What fits into every queue, whatever thieves do. */
  uint64_t fill = capacity / 2 / TD_QUEUE_PUBLISH_ITEMS * TD_QUEUE_PUBLISH_ITEMS;
  if (fill == 0 && bench->experiment != TD_QUEUE_FORKJOIN)
    return td_complain(TD_EXIT_USAGE,
                       "queue: %u blocks of %u items are too few to measure: %u "
                       "items or more",
                       bench->blocks, bench->entries, 2 * TD_QUEUE_PUBLISH_ITEMS);
  bench->fill = fill < UINT32_MAX ? (uint32_t)fill : 1u << 31;
  return TD_EXIT_OK;
}

int td_queue_choose(const struct td_queue_request *r, struct td_queue_bench *bench) {
  int status = choose_experiment(r, bench);
  if (status == TD_EXIT_OK) status = refuse_idle_options(r, bench);
  if (status == TD_EXIT_OK) status = choose_kinds(r, bench);
  if (status == TD_EXIT_OK) status = choose_patterns(r, bench);
  if (status == TD_EXIT_OK) status = choose_policies(r, bench);
  if (status != TD_EXIT_OK) return status;
  choose_numbers(r, bench);
  td_host_read(&bench->host);
  if (!td_cpus_read(&bench->cpus))
    return td_complain(TD_EXIT_RESOURCES, "queue: not enough memory");
  status = choose_threads(r, bench);
  if (status == TD_EXIT_OK) status = choose_capacity(r, bench);
  if (status == TD_EXIT_OK) status = td_plot_check(r->plot);
  const struct td_output_option outputs[] = {{"json", r->json, true}, {"plot", r->plot, false}};
  if (status == TD_EXIT_OK) status = td_outputs_check("queue", outputs, 2);
  if (status == TD_EXIT_OK) status = td_queue_bench_allocate(bench);
  return status;
}
