/* SPDX-License-Identifier: MIT */
#include "bench/bdwgc/bdwgc.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bdwgc/programs.h"
#include "bench/bdwgc/run.h"
#include "bench/cli/args.h"
#include "bench/cli/complain.h"
#include "bench/cli/document.h"
#include "bench/cli/grid.h"
#include "bench/cli/host.h"
#include "bench/cli/options.h"
#include "bench/cli/samples.h"
#include "bench/exec/exec.h"

enum { SYSTEM, TIDEMARK, LIBRARIES };
static const char *const library_names[LIBRARIES] = {"libgc", "tidemark"};

struct measured {
  struct td_samples cpu[LIBRARIES], wall[LIBRARIES], peak[LIBRARIES];
  struct td_run_figures told[LIBRARIES];
};

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where) {
  (void)status, (void)kind, (void)where;
  return remove(path);
}

static int add(struct measured *m, int library, const struct td_run_figures *figures) {
  if (td_samples_add(&m->cpu[library], figures->cpu_s) &&
      td_samples_add(&m->wall[library], figures->wall_s) &&
      td_samples_add(&m->peak[library], figures->peak_mib))
    return TD_EXIT_OK;
  return td_complain(TD_EXIT_RESOURCES, "bdwgc-bench: out of memory");
}

/* The libraries take turns, and each begins every other round. A last run of each is told of its
 * collections, and not timed. */
static int measure_in(struct td_run run, const struct td_program *program, const char *ours,
                      uint64_t rounds, struct measured *m) {
  struct td_run_figures figures;
  run.command = program->prepare;
  int status = td_run_measure(&run, &figures);
  run.command = program->command;
  for (uint64_t round = 0; round < rounds * LIBRARIES && status == TD_EXIT_OK; round++) {
    int library = (int)((round + round / LIBRARIES) % LIBRARIES);
    run.libgc = library == TIDEMARK ? ours : NULL;
    status = td_run_measure(&run, &figures);
    if (status == TD_EXIT_OK) status = add(m, library, &figures);
  }
  run.told = true;
  for (int library = 0; library < LIBRARIES && status == TD_EXIT_OK; library++) {
    run.libgc = library == TIDEMARK ? ours : NULL;
    status = td_run_measure(&run, &m->told[library]);
  }
  return status;
}

static int measure(const struct td_programs *programs, const struct td_program *program,
                   const char *ours, uint64_t rounds, struct measured *m) {
  char folder[] = "/tmp/tidemark-bdwgc-XXXXXX";
  if (!mkdtemp(folder)) return td_complain(TD_EXIT_RESOURCES, "bdwgc-bench: no folder in /tmp");
  const struct td_run run = {.folder = folder, .inputs = programs->folder};
  int status = measure_in(run, program, ours, rounds, m);
  nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  return status;
}

/* ---- What is printed and written ---- */

static void print_row(struct td_grid *grid, const char *name, const struct measured *m) {
  td_grid_cell(grid, "%s", name);
  for (int library = 0; library < LIBRARIES; library++) {
    td_grid_cell(grid, "%.3f", td_samples_summary(&m->cpu[library]).median);
    td_grid_cell(grid, "%.3f", td_samples_summary(&m->wall[library]).median);
    td_grid_cell(grid, "%.1f", td_samples_summary(&m->peak[library]).median);
    td_grid_cell(grid, "%.1f", m->told[library].longest_pause_s * 1e3);
  }
  td_grid_cell(grid, "%.2f", td_samples_ratio(&m->cpu[TIDEMARK], &m->cpu[SYSTEM]).median);
  td_grid_cell(grid, "%.2f", td_samples_ratio(&m->peak[TIDEMARK], &m->peak[SYSTEM]).median);
}

static void write_series(struct td_json *json, const char *key, const struct td_samples *samples) {
  struct td_summary summary = td_samples_summary(samples);
  td_json_object_begin(json, key);
  td_json_real(json, "median", summary.median);
  td_json_real(json, "min", summary.min);
  td_json_real(json, "max", summary.max);
  td_json_object_end(json);
}

static void write_program(struct td_json *json, const char *name, const struct measured *m) {
  td_json_object_begin(json, NULL);
  td_json_string(json, "name", name);
  for (int library = 0; library < LIBRARIES; library++) {
    td_json_object_begin(json, library_names[library]);
    write_series(json, "cpu_s", &m->cpu[library]);
    write_series(json, "wall_s", &m->wall[library]);
    write_series(json, "peak_rss_mib", &m->peak[library]);
    td_json_count(json, "collections", m->told[library].collections);
    td_json_real(json, "collecting_s", m->told[library].collecting_s);
    td_json_real(json, "longest_pause_s", m->told[library].longest_pause_s);
    td_json_object_end(json);
  }
  td_json_object_end(json);
}

/* ---- The command ---- */

static bool is_there(const struct td_program *program) {
  char *path = td_exec_look_up(program->needs);
  bool found = path != NULL;
  free(path);
  return found;
}

static bool is_wanted(const struct td_words *words, const struct td_program *program) {
  for (size_t i = 0; i < words->count; i++)
    if (strcmp(words->at[i], program->name) == 0) return true;
  return words->count == 0;
}

static void free_measured(struct measured *m) {
  for (int library = 0; library < LIBRARIES; library++) {
    td_samples_free(&m->cpu[library]);
    td_samples_free(&m->wall[library]);
    td_samples_free(&m->peak[library]);
  }
}

static int measure_all(const struct td_programs *programs, const struct td_words *words,
                       const char *ours, uint64_t rounds, const char *json_path) {
  static struct measured measured[TD_PROGRAMS_MOST];
  static bool done[TD_PROGRAMS_MOST];
  struct td_host host;
  struct td_grid grid;
  int status = TD_EXIT_OK;
  td_host_read(&host);
  td_noise_begin(&host.noise);
  td_grid_begin(&grid, "program libgc_CPU_s wall_s RSS_MiB pause_ms tidemark_CPU_s wall_s RSS_MiB "
                       "pause_ms CPU_ratio RSS_ratio");
  for (size_t i = 0; i < programs->count && status == TD_EXIT_OK; i++) {
    const struct td_program *program = &programs->at[i];
    if (!is_wanted(words, program)) continue;
    if (!is_there(program)) {
      td_note("%s is left out: %s is not installed", program->name, program->needs);
      continue;
    }
    status = measure(programs, program, ours, rounds, &measured[i]);
    if (status != TD_EXIT_OK) break;
    print_row(&grid, program->name, &measured[i]);
    done[i] = true;
  }
  td_noise_end(&host.noise);
  int printed = td_grid_print(&grid, td_human(json_path));
  td_host_print(&host, td_human(json_path));
  struct td_document document;
  if (status == TD_EXIT_OK) status = printed;
  if (status == TD_EXIT_OK && json_path) {
    status = td_document_begin(&document, json_path, &host);
    if (status == TD_EXIT_OK) {
      td_json_count(&document.json, "rounds", rounds);
      td_json_array_begin(&document.json, "programs");
      for (size_t i = 0; i < programs->count; i++)
        if (done[i]) write_program(&document.json, programs->at[i].name, &measured[i]);
      td_json_array_end(&document.json);
      status = td_document_commit(&document);
    }
  }
  for (size_t i = 0; i < programs->count; i++)
    free_measured(&measured[i]);
  return status;
}

static int check_words(const struct td_programs *programs, const struct td_words *words) {
  for (size_t w = 0; w < words->count; w++) {
    bool found = false;
    for (size_t i = 0; i < programs->count; i++)
      found |= strcmp(programs->at[i].name, words->at[w]) == 0;
    if (!found)
      return td_complain(TD_EXIT_USAGE, "bdwgc-bench: no program is called '%s'", words->at[w]);
  }
  return TD_EXIT_OK;
}

int td_command_bdwgc_bench(int argc, char **argv) {
  uint64_t rounds = 5;
  const char *json_path = NULL;
  struct td_words words = {.count = 0};
  const struct td_option options[] = {
      td_option_rounds(&rounds, "runs of each program on each library"),
      td_option_json(&json_path, "the figures as JSON")};
  const struct td_usage usage = {
      .command = "bdwgc-bench",
      .summary =
          "Runs programs that use libgc.so.1 on the system's library and on ours, in turns,\n"
          "and compares CPU time, wall time, the longest pause and peak memory (medians).\n"
          "Pauses come from one more run each, in which the library tells of them.",
      .positional = "[PROGRAM…]",
      .words = &words,
      .words_max = TD_LIST_MAX,
      .options = options,
      .option_count = sizeof options / sizeof options[0]};
  int status = td_args_parse(&usage, argc, argv);
  if (status != TD_ARGS_GO_ON) return status;
  struct td_programs programs;
  char *ours = td_exec_library_folder();
  if (!ours) return TD_EXIT_RESOURCES;
  status = td_programs_read(&programs);
  if (status == TD_EXIT_OK) status = check_words(&programs, &words);
  if (status == TD_EXIT_OK) status = measure_all(&programs, &words, ours, rounds, json_path);
  td_programs_free(&programs);
  free(ours);
  return status;
}
