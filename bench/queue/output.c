/* SPDX-License-Identifier: MIT */
/* What `tidemark queue` prints and writes. */
#include "bench/queue/output.h"

#include <math.h>

#include "bench/cli/complain.h"
#include "bench/cli/document.h"
#include "bench/cli/grid.h"
#include "bench/queue/forkjoin/tbb.h"
#include "bench/queue/rivals.h"

/* ---- Text ------------------------------------------------------------------------------ */

static const char *const headings[] = {
    [TD_QUEUE_SINGLE] = "pattern <queue <cursor >Mops >ratio >spread >same_cursor >discarded",
    [TD_QUEUE_STOLEN] =
        "queue <cursor >batch >wanted_% >stolen_% >Mops >ratio >spread >same_cursor >discarded",
    [TD_QUEUE_POOL] =
        "queue >threads <policy >batch >balance_% >stolen_% >Mops >ratio >spread >same_cursor "
        ">discarded",
    [TD_QUEUE_INTERFERENCE] =
        "pattern <queue >threads >wanted/s >events/s >Mops >ratio >spread >same_cursor >discarded",
    [TD_QUEUE_FORKJOIN] =
        "queue >threads >task_ns >ns/task >speedup >steals >to_first >spread >discarded",
};

static const char *const explanations[] = {
    [TD_QUEUE_SINGLE] = "Mops: million puts and gets per second.",
    [TD_QUEUE_STOLEN] =
        "Mops: million puts, gets and stolen items per second, of both threads. stolen %: of the\n"
        "items put, as counted.",
    [TD_QUEUE_POOL] =
        "Mops: million puts, gets and stolen items per second, of all threads. balance: 100 % is\n"
        "where stealing gives every thread as many items. The owners' cursors are in locals.",
    [TD_QUEUE_INTERFERENCE] =
        "Mops: million operations per second of the first thread, its cursor in a local. events:\n"
        "what the second thread did to it. Lines are compared with one thread alone.",
    [TD_QUEUE_FORKJOIN] =
        "ns/task: of the clock, for all threads together. speedup: over the same with one thread.\n"
        "steals: tasks stolen of a tree. to first: time, to the first queue with as many threads.",
};

/* Prints a dash where there is no number. */
static void number_cell(struct td_grid *grid, int decimals, double value) {
  if (isfinite(value))
    td_grid_cell(grid, "%.*f", decimals, value);
  else
    td_grid_cell(grid, "–");
}

static const char *cursor_text(const struct td_queue_cell *cell) {
  return cell->cursor == TD_CURSOR_LOCAL ? "local" : "in memory";
}

static void print_parameters(const struct td_queue_bench *bench, const struct td_queue_cell *cell,
                             struct td_grid *grid) {
  bool pool = bench->experiment == TD_QUEUE_POOL, stolen = bench->experiment == TD_QUEUE_STOLEN;
  if (!pool && !stolen) td_grid_cell(grid, "%s", cell->pattern);
  td_grid_cell(grid, "%s", cell->kind ? cell->kind->name : "–");
  if (stolen || bench->experiment == TD_QUEUE_SINGLE) td_grid_cell(grid, "%s", cursor_text(cell));
  if (pool || bench->experiment == TD_QUEUE_INTERFERENCE) td_grid_cell(grid, "%u", cell->threads);
  if (pool) td_grid_cell(grid, "%s", cell->policy ? cell->policy->name : "–");
  if (pool || stolen) number_cell(grid, 0, cell->batch ? cell->batch : (double)NAN);
  if (pool) number_cell(grid, 1, cell->balance);
  if (stolen) number_cell(grid, 1, cell->stolen_wanted);
  if (pool || stolen)
    number_cell(grid, 1,
                cell->threads > 1 ? td_samples_summary(&cell->stolen).median : (double)NAN);
  if (bench->experiment == TD_QUEUE_INTERFERENCE) {
    number_cell(grid, 0, cell->frequency);
    number_cell(grid, 0, td_samples_summary(&cell->events).median);
  }
}

/* Time is what a throughput's reciprocal is. */
static struct td_summary time_to_first(const struct td_queue_bench *bench,
                                       const struct td_queue_cell *cell) {
  return td_samples_ratio(&bench->cells[cell->base].mops, &cell->mops);
}

static double ns_per_task(const struct td_queue_cell *cell) {
  return 1e3 / td_samples_summary(&cell->mops).median;
}

static void print_spread(struct td_grid *grid, struct td_summary ratio) {
  if (ratio.count)
    td_grid_cell(grid, "%.2f–%.2f", ratio.min, ratio.max);
  else
    td_grid_cell(grid, "–");
}

static void print_forkjoin(const struct td_queue_bench *bench, const struct td_queue_cell *cell,
                           struct td_grid *grid) {
  struct td_summary ratio = time_to_first(bench, cell);
  td_grid_cell(grid, "%s", cell->kind->name);
  td_grid_cell(grid, "%u", cell->threads);
  number_cell(grid, 0, cell->task_ns);
  number_cell(grid, 1, ns_per_task(cell));
  number_cell(grid, 2, td_queue_ratio(bench, cell, cell->base_same).median);
  number_cell(grid, 1, td_samples_summary(&cell->stolen).median);
  number_cell(grid, 2, ratio.median);
  print_spread(grid, ratio);
  td_grid_cell(grid, "%u", cell->discarded);
}

static void print_row(const struct td_queue_bench *bench, const struct td_queue_cell *cell,
                      struct td_grid *grid) {
  if (bench->experiment == TD_QUEUE_FORKJOIN) {
    print_forkjoin(bench, cell, grid);
    return;
  }
  print_parameters(bench, cell, grid);
  struct td_summary ratio = td_queue_ratio(bench, cell, cell->base);
  number_cell(grid, 1, td_samples_summary(&cell->mops).median);
  number_cell(grid, 3, ratio.median);
  print_spread(grid, ratio);
  number_cell(grid, 3, td_queue_ratio(bench, cell, cell->base_same).median);
  td_grid_cell(grid, "%u", cell->discarded);
}

static void print_notes(const struct td_queue_bench *bench, FILE *out) {
  size_t empty = 0;
  bool fell_back = false;
  for (size_t i = 0; i < bench->cell_count; i++) {
    empty += td_samples_summary(&bench->cells[i].mops).count == 0;
    fell_back |= bench->cells[i].policy != bench->cells[i].policy_in_force;
  }
  if (fell_back)
    fprintf(out,
            "numa: the CPUs used lie on %u NUMA node(s), all equally far: there is nothing to "
            "choose\nby, so numa was random and numa+prob was random+prob.\n",
            bench->cpus.nodes);
  if (empty)
    fprintf(out, "%zu row(s) without figures: every run was disturbed. The machine is too busy.\n",
            empty);
}

static void print_forkjoin_notes(const struct td_queue_bench *bench, FILE *out) {
  fprintf(out,
          "\n%s\ndiscarded: runs in which a thread lost its CPU or that took over three times as "
          "long as the\nshortest.\n",
          explanations[TD_QUEUE_FORKJOIN]);
  if (bench->threads > bench->cpus.count)
    fprintf(out, "There are %u CPUs: more threads share them.\n", bench->cpus.count);
  if (!td_forkjoin_tbb())
    fprintf(out, "Without tbb: the build did not find oneTBB (Debian: libtbb-dev).\n");
  print_notes(bench, out);
}

int td_queue_print(const struct td_queue_bench *bench, FILE *out) {
  td_host_print(&bench->host, out);
  fprintf(out, "%u rounds, %u blocks of %u items, %u items per fill\n\n", bench->rounds,
          bench->blocks, bench->entries, bench->fill);
  struct td_grid grid;
  td_grid_begin(&grid, headings[bench->experiment]);
  for (size_t i = 0; i < bench->cell_count; i++)
    print_row(bench, &bench->cells[i], &grid);
  int status = td_grid_print(&grid, out);
  if (bench->experiment == TD_QUEUE_FORKJOIN) return print_forkjoin_notes(bench, out), status;
  fprintf(
      out,
      "\n%s\nratio: to serial, alone, in the same loop, with its cursor in memory; same cursor: "
      "to serial\nwith its cursor where this row has it. discarded: runs in which a thread lost "
      "its CPU or that\ntook over three times as long as the shortest.\n",
      explanations[bench->experiment]);
  print_notes(bench, out);
  if (status == TD_EXIT_OK) status = td_queue_rivals_print(bench, out);
  return status;
}

/* ---- JSON ------------------------------------------------------------------------------ */

static void write_cursor(struct td_json *json, const struct td_queue_cell *cell) {
  if (cell->has_cursor)
    td_json_bool(json, "cursor", cell->cursor == TD_CURSOR_LOCAL);
  else
    td_json_null(json, "cursor");
}

static void write_spread(struct td_json *json, const char *key, struct td_summary summary) {
  td_json_object_begin(json, key);
  td_json_real(json, "min", summary.min);
  td_json_real(json, "max", summary.max);
  td_json_object_end(json);
}

static void write_rival(const struct td_queue_bench *bench, const struct td_queue_cell *cell,
                        struct td_json *json) {
  const struct td_queue_cell *rival = td_queue_best_rival(bench, cell);
  td_json_string(json, "best_rival", rival ? rival->kind->name : NULL);
  if (!rival) return;
  struct td_summary ratio = td_queue_ratio(bench, cell, (size_t)(rival - bench->cells));
  td_json_real(json, "ratio_to_best_rival", ratio.median);
  write_spread(json, "ratio_to_best_rival_spread", ratio);
}

static void write_forkjoin(const struct td_queue_bench *bench, const struct td_queue_cell *cell,
                           struct td_json *json) {
  struct td_summary mops = td_samples_summary(&cell->mops), ratio = time_to_first(bench, cell);
  td_json_object_begin(json, NULL);
  td_json_string(json, "experiment", bench->experiment_name);
  td_json_string(json, "queue", cell->kind->name);
  td_json_count(json, "threads", cell->threads);
  td_json_real(json, "task_ns", cell->task_ns);
  td_json_real(json, "ns_per_task", 1e3 / mops.median);
  write_spread(json, "ns_per_task_spread",
               (struct td_summary){.min = 1e3 / mops.max, .max = 1e3 / mops.min});
  td_json_real(json, "speedup", td_queue_ratio(bench, cell, cell->base_same).median);
  td_json_real(json, "steals", td_samples_summary(&cell->stolen).median);
  td_json_real(json, "ratio_to_first", ratio.median);
  write_spread(json, "ratio_to_first_spread", ratio);
  td_json_count(json, "runs", mops.count);
  td_json_count(json, "discarded", cell->discarded);
  td_json_object_end(json);
}

static void write_row(const struct td_queue_bench *bench, const struct td_queue_cell *cell,
                      struct td_json *json) {
  if (bench->experiment == TD_QUEUE_FORKJOIN) {
    write_forkjoin(bench, cell, json);
    return;
  }
  struct td_summary mops = td_samples_summary(&cell->mops);
  struct td_summary ratio = td_queue_ratio(bench, cell, cell->base);
  bool steals = cell->threads > 1;
  td_json_object_begin(json, NULL);
  td_json_string(json, "experiment", bench->experiment_name);
  td_json_string(json, "pattern", cell->pattern);
  td_json_string(json, "engine", cell->kind ? cell->kind->name : NULL);
  write_cursor(json, cell);
  td_json_count(json, "threads", cell->threads);
  td_json_real(json, "stolen_percent_wanted", cell->stolen_wanted);
  td_json_real(json, "stolen_percent",
               steals ? td_samples_summary(&cell->stolen).median : (double)NAN);
  td_json_real(json, "balance_percent", cell->balance);
  td_json_string(json, "policy", cell->policy ? cell->policy->name : NULL);
  td_json_string(json, "policy_in_force", cell->policy ? cell->policy_in_force->name : NULL);
  if (cell->batch)
    td_json_count(json, "batch", cell->batch);
  else
    td_json_null(json, "batch");
  td_json_real(json, "events_per_second_wanted", cell->frequency);
  td_json_real(json, "events_per_second", td_samples_summary(&cell->events).median);
  td_json_real(json, "mops", mops.median);
  write_spread(json, "mops_spread", mops);
  td_json_real(json, "ratio_to_seq", ratio.median);
  write_spread(json, "ratio_to_seq_spread", ratio);
  td_json_real(json, "ratio_to_seq_same_cursor",
               td_queue_ratio(bench, cell, cell->base_same).median);
  write_rival(bench, cell, json);
  td_json_count(json, "runs", mops.count);
  td_json_count(json, "discarded", cell->discarded);
  td_json_object_end(json);
}

static void write_settings(const struct td_queue_bench *bench, struct td_json *json) {
  td_json_object_begin(json, "settings");
  td_json_string(json, "experiment", bench->experiment_name);
  td_json_count(json, "rounds", bench->rounds);
  td_json_count(json, "blocks", bench->blocks);
  td_json_count(json, "entries", bench->entries);
  td_json_count(json, "fill", bench->fill);
  if (bench->experiment == TD_QUEUE_FORKJOIN) td_json_count(json, "depth", bench->depth);
  td_json_real(json, "run_ms", bench->run_ns / 1e6);
  td_json_object_end(json);
}

int td_queue_write_json(const struct td_queue_bench *bench, const char *path) {
  if (!path) return TD_EXIT_OK;
  struct td_document document;
  int status = td_document_begin(&document, path, &bench->host);
  if (status != TD_EXIT_OK) return status;
  write_settings(bench, &document.json);
  td_json_array_begin(&document.json, "rows");
  for (size_t i = 0; i < bench->cell_count; i++)
    write_row(bench, &bench->cells[i], &document.json);
  td_json_array_end(&document.json);
  return td_document_commit(&document);
}
