/* SPDX-License-Identifier: MIT */
/* tidemark graph: what a graph looks like to a marker. */
#include "bench/graph/graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/args.h"
#include "bench/cli/complain.h"
#include "bench/cli/document.h"
#include "bench/cli/grid.h"
#include "bench/cli/options.h"
#include "bench/cli/progress.h"
#include "bench/cli/utf8.h"
#include "bench/subject/graphs.h"
#include "workloads/profile.h"

static double percent(uint64_t part, uint64_t whole) {
  return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* ---- Text ------------------------------------------------------------------------------ */

static int print_degrees(const struct td_graph_profile *profile, FILE *out) {
  struct td_grid grid;
  td_grid_begin(&grid, ">references >objects_that_hold_so_many >% >objects_referred_to_so_often "
                       ">%");
  for (unsigned i = 0; i < TD_PROFILE_BUCKETS; i++) {
    if (profile->out_degree[i] == 0 && profile->in_degree[i] == 0) continue;
    uint64_t low = i ? UINT64_C(1) << (i - 1) : 0, high = i ? (UINT64_C(1) << i) - 1 : 0;
    if (low == high)
      td_grid_cell(&grid, "%" PRIu64, low);
    else
      td_grid_cell(&grid, "%" PRIu64 "-%" PRIu64, low, high);
    td_grid_cell(&grid, "%" PRIu64, profile->out_degree[i]);
    td_grid_cell(&grid, "%.1f", percent(profile->out_degree[i], profile->objects));
    td_grid_cell(&grid, "%" PRIu64, profile->in_degree[i]);
    td_grid_cell(&grid, "%.1f", percent(profile->in_degree[i], profile->objects));
  }
  return td_grid_print(&grid, out);
}

/* Draws the frontier as a line of blocks; the widest level is the highest. */
static void print_frontier(const struct td_graph_profile *profile, FILE *out) {
  static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double widest = 0;
  for (unsigned i = 0; i < profile->points; i++)
    if (profile->frontier[i] > widest) widest = profile->frontier[i];
  if (widest <= 0) return;
  fputs("\nFrontier from the first level to the last:\n  |", out);
  unsigned columns = profile->points < 64 ? profile->points : 64;
  for (unsigned c = 0; c < columns; c++) {
    double width = profile->frontier[c * profile->points / columns];
    unsigned height = (unsigned)(width / widest * 8 + 0.5);
    fputs(blocks[width > 0 && height == 0 ? 1 : height], out);
  }
  fprintf(out, "|  highest: %.0f objects\n", widest);
}

static int print(const char *name, const struct td_graph_profile *p, FILE *out) {
  td_utf8_put_plain(name, out);
  fputc('\n', out);
  fprintf(out,
          "objects     %" PRIu64 " reachable of %" PRIu64 " allocated, from %" PRIu64 " root(s)\n",
          p->objects, p->allocated, p->roots);
  fprintf(out, "edges       %" PRIu64 " (%.2f per object), and %" PRIu64 " null slots\n", p->edges,
          percent(p->edges, p->objects) / 100, p->null_slots);
  fprintf(out, "bytes       %" PRIu64 " (%.1f per object), largest object %" PRIu64 "\n", p->bytes,
          percent(p->bytes, p->objects) / 100, p->bytes_max);
  fprintf(out, "leaves      %.1f %% of the objects cannot hold a reference\n",
          percent(p->leaves, p->objects));
  fprintf(out, "near edges  %.1f %% lead less than %u bytes away\n",
          percent(p->near_edges, p->edges), TD_PROFILE_NEAR_BYTES);
  fprintf(out, "degrees     out up to %" PRIu64 ", in up to %" PRIu64 "\n", p->out_degree_max,
          p->in_degree_max);
  fprintf(out, "depth       %" PRIu64 " breadth-first levels, the widest of %" PRIu64 " objects\n",
          p->levels, p->level_max);
  fprintf(out, "narrow      %" PRIu64 " levels have under %u objects (%.1f %% of the objects)\n",
          p->levels_narrow, TD_PROFILE_NARROW, percent(p->objects_narrow, p->objects));
  fprintf(out, "stack       %" PRIu64 " items at most in a plain depth-first marking\n",
          p->stack_max);
  print_frontier(p, out);
  fputc('\n', out);
  return print_degrees(p, out);
}

/* ---- JSON ------------------------------------------------------------------------------ */

static void json_histogram(struct td_json *json, const char *key, const uint64_t *bucket) {
  unsigned used = TD_PROFILE_BUCKETS;
  while (used > 0 && bucket[used - 1] == 0)
    used--;
  td_json_array_begin(json, key);
  for (unsigned i = 0; i < used; i++)
    td_json_count(json, NULL, bucket[i]);
  td_json_array_end(json);
}

static void json_profile(struct td_json *json, const struct td_graph_profile *p) {
  td_json_count(json, "allocated", p->allocated);
  td_json_count(json, "objects", p->objects);
  td_json_count(json, "edges", p->edges);
  td_json_count(json, "null_slots", p->null_slots);
  td_json_count(json, "bytes", p->bytes);
  td_json_count(json, "bytes_max", p->bytes_max);
  td_json_count(json, "roots", p->roots);
  td_json_count(json, "leaves", p->leaves);
  td_json_count(json, "near_edges", p->near_edges);
  td_json_count(json, "out_degree_max", p->out_degree_max);
  td_json_count(json, "in_degree_max", p->in_degree_max);
  td_json_count(json, "levels", p->levels);
  td_json_count(json, "levels_narrow", p->levels_narrow);
  td_json_count(json, "objects_narrow", p->objects_narrow);
  td_json_count(json, "level_max", p->level_max);
  td_json_count(json, "stack_max", p->stack_max);
  json_histogram(json, "out_degree_log2", p->out_degree);
  json_histogram(json, "in_degree_log2", p->in_degree);
  td_json_array_begin(json, "frontier");
  for (unsigned i = 0; i < p->points; i++)
    td_json_real(json, NULL, p->frontier[i]);
  td_json_array_end(json);
}

static int write_json(const char *path, const char *name, const struct td_graph_profile *profile) {
  if (!path) return TD_EXIT_OK;
  struct td_document document;
  int status = td_document_begin(&document, path, NULL);
  if (status != TD_EXIT_OK) return status;
  td_json_string(&document.json, "graph", name);
  json_profile(&document.json, profile);
  return td_document_commit(&document);
}

/* ---- The command ----------------------------------------------------------------------- */

static int run(struct td_words *words, const char *json_path) {
  const struct td_output_option output = {"json", json_path, true};
  int status = td_outputs_check("graph", &output, 1);
  if (status != TD_EXIT_OK) return status;
  struct td_graph_spec *specs;
  size_t count;
  status = td_graphs_parse(words, &specs, &count);
  if (status != TD_EXIT_OK) return status;
  struct td_graph_profile *profile = calloc(1, sizeof *profile);
  struct td_graph_error error = {0};
  td_progress_watch(specs[0].text);
  bool done = profile && td_graph_profile(&specs[0], profile, &error);
  td_progress_unwatch();
  if (!profile) {
    status = td_complain(TD_EXIT_RESOURCES, "not enough memory");
  } else if (!done) {
    status = td_complain((int)error.status, "%s", error.text);
  } else {
    status = print(specs[0].text, profile, td_human(json_path));
    if (status == TD_EXIT_OK) status = write_json(json_path, specs[0].text, profile);
  }
  free(profile);
  td_graph_specs_free(specs, count);
  return status;
}

int td_command_graph(int argc, char **argv) {
  struct td_words words = {0};
  const char *json_path = NULL;
  bool quiet = false;
  const struct td_option options[] = {td_option_json(&json_path, "the same as JSON"),
                                      td_option_quiet(&quiet)};
  const struct td_usage usage = {
      .command = "graph",
      .positional = "SPEC",
      .words = &words,
      .words_min = 1,
      .words_max = 1,
      .summary = "Describes what a graph's roots reach: counts, degrees, depth, and how wide the "
                 "frontier\n"
                 "is from level to level. The frontier is what several markers can share.",
      .options = options,
      .option_count = sizeof options / sizeof options[0],
      .print_details = td_graph_print_help};
  int status = td_args_parse(&usage, argc, argv);
  if (status != TD_ARGS_GO_ON) return status;
  td_progress_setup(quiet);
  return run(&words, json_path);
}
