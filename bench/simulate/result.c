/* SPDX-License-Identifier: MIT */
#include "bench/simulate/result.h"

#include <inttypes.h>
#include <math.h>

#include "bench/cli/complain.h"
#include "bench/cli/document.h"
#include "bench/cli/grid.h"

/* ---- Figures ----------------------------------------------------------------------------- */

double td_simulate_speedup(const struct td_simulate_row *row) {
  return row->alone_ns / row->at.mark_ns;
}

double td_simulate_idle(const struct td_simulate_row *row) {
  double idle = 1 - row->at.active_ns / (row->at.mark_ns * row->at.markers);
  return idle > 0 ? idle : 0; /* the markers' clocks are a little apart */
}

double td_simulate_spent(const struct td_simulate_row *row, enum td_spent what) {
  return row->at.spent_ns[what] / (row->at.mark_ns * row->at.markers);
}

double td_simulate_asleep(const struct td_simulate_row *row) {
  double rest = 1;
  for (unsigned i = 0; i < TD_SPENT_COUNT; i++)
    rest -= td_simulate_spent(row, (enum td_spent)i);
  return rest > 0 ? rest : 0; /* what is said of idle */
}

double td_simulate_bound(const struct td_simulate_row *row) {
  double most = fmin(row->at.markers, row->at.cores);
  if (row->critical_path == 0 || row->at.objects == 0) return most;
  return fmin(most, (double)row->at.objects / (double)row->critical_path);
}

double td_simulate_memory_bound(const struct td_simulate_row *row, const struct td_costs *costs) {
  double bytes = 64.0 * (double)row->at.lines;
  double least_ns = bytes / (costs->at[TD_COST_node_gbs] * row->at.nodes);
  return least_ns > 0 ? row->alone_ns / least_ns : INFINITY;
}

/* ---- Text -------------------------------------------------------------------------------- */

static void print_row(struct td_grid *grid, const struct td_simulate_result *result,
                      const struct td_simulate_row *row) {
  td_grid_cell(grid, "%s", row->graph);
  td_grid_cell(grid, "%s", row->at.engine);
  td_grid_cell(grid, "%u", row->at.markers);
  td_grid_cell(grid, "%.3f", row->at.mark_ns / 1e6);
  if (result->validate) {
    td_grid_cell(grid, "%.3f", row->measured_ns / 1e6);
    td_grid_cell(grid, "%.2f", row->at.mark_ns / row->measured_ns);
  }
  td_grid_cell(grid, "%.2f", td_simulate_speedup(row));
  if (result->seeds > 1)
    td_grid_cell(grid, "%.2f-%.2f", row->alone_ns / row->at.mark_ns_most,
                 row->alone_ns / row->at.mark_ns_least);
  td_grid_cell(grid, "%.2f", td_simulate_speedup(row) / row->at.markers);
  if (result->measured_only) return;
  td_grid_cell(grid, "%.1f", td_simulate_bound(row));
  double memory_bound = td_simulate_memory_bound(row, &result->costs);
  if (isfinite(memory_bound))
    td_grid_cell(grid, "%.1f", memory_bound);
  else
    td_grid_cell(grid, "-");
  td_grid_cell(grid, "%.1f", 100 * td_simulate_idle(row));
  td_grid_cell(grid, "%" PRIu64, row->at.steals);
  td_grid_cell(grid, "%.1f", row->at.end_ns / 1e3);
  td_grid_cell(grid, "%u", row->at.took_part);
}

static const char *const spent_names[TD_SPENT_COUNT] = {
    [TD_SPENT_WORK] = "work",           [TD_SPENT_MEMORY] = "memory",
    [TD_SPENT_BANDWIDTH] = "bandwidth", [TD_SPENT_TRANSFER] = "transfer",
    [TD_SPENT_WAKING] = "waking",       [TD_SPENT_WATCHING] = "watching",
    [TD_SPENT_ARISING] = "arising"};

const char *td_spent_name(enum td_spent what) {
  return spent_names[what];
}

/* Where the markers' time goes, in percent. */
static int print_spent(const struct td_simulate_result *result, FILE *out) {
  struct td_grid grid;
  td_grid_begin(&grid,
                "graph <engine >markers >work >memory >bandwidth >transfer >waking >watching "
                ">arising >asleep");
  for (size_t i = 0; i < result->row_count; i++) {
    const struct td_simulate_row *row = &result->rows[i];
    if (i == 0 || row->graph != row[-1].graph) td_grid_rule(&grid);
    td_grid_cell(&grid, "%s", row->graph);
    td_grid_cell(&grid, "%s", row->at.engine);
    td_grid_cell(&grid, "%u", row->at.markers);
    for (unsigned k = 0; k < TD_SPENT_COUNT; k++)
      td_grid_cell(&grid, "%.1f", 100 * td_simulate_spent(row, (enum td_spent)k));
    td_grid_cell(&grid, "%.1f", 100 * td_simulate_asleep(row));
  }
  fputs("\nWhere the markers' time goes, in percent\n\n", out);
  int status = td_grid_print(&grid, out);
  fputs(
      "\nwork: instructions and caches; memory, bandwidth, transfer: waiting for lines from "
      "memory, from memory\nthat has no rest, from other cores; waking: others; watching: without "
      "work; arising: woken, and not\nexecuting yet.\n",
      out);
  return status;
}

static const char *const marks[] = {
    [TD_COST_LIMIT] = "",      [TD_COST_OWN] = "",       [TD_COST_FIT] = "",
    [TD_COST_PUBLISHED] = "*", [TD_COST_ASSUMED] = "**", [TD_COST_CHOSEN] = "+"};

static int print_rows(const struct td_simulate_result *result, FILE *out) {
  struct td_grid grid;
  char columns[256];
  snprintf(columns, sizeof columns, "graph <engine >markers >mark_ms %s>speed-up %s>efficiency%s",
           result->validate ? ">measured_ms >ratio " : "", result->seeds > 1 ? ">range " : "",
           result->measured_only ? "" : " >bound >memory_bound >idle_% >steals >end_us >took_part");
  td_grid_begin(&grid, columns);
  for (size_t i = 0; i < result->row_count; i++) {
    const struct td_simulate_row *row = &result->rows[i];
    if (i == 0 || row->graph != row[-1].graph) td_grid_rule(&grid);
    print_row(&grid, result, row);
  }
  return td_grid_print(&grid, out);
}

static void print_machine(const struct td_simulate_result *result, FILE *out) {
  if (result->measured_only) {
    fprintf(out, "\nMeasured, not simulated: %s, victims %s.\n", result->topology, result->policy);
    return;
  }
  fprintf(out,
          "\nSimulated%s: %s, victims %s, seeds %" PRIu64 " to %" PRIu64
          ". bound: markers, cores, or objects over the\n"
          "longest way; memory bound: the speed-up at which memory has no rest, '-' if it always "
          "rests;\nend: from the last mark to the end of the phase.\n",
          result->validate ? ", and measured" : " time", result->topology, result->policy,
          result->seed, result->seed + result->seeds - 1);
}

int td_simulate_print(const struct td_simulate_result *result, FILE *out) {
  int status = print_rows(result, out);
  if (status == TD_EXIT_OK && !result->measured_only) status = print_spent(result, out);
  print_machine(result, out);
  for (unsigned i = 0; i < TD_COST_COUNT; i++)
    fprintf(out, "%s%s %.4g%s", i ? ", " : "Costs: ", td_cost_entries[i].name, result->costs.at[i],
            marks[td_cost_entries[i].source]);
  fputs(" (*: published, not measured; **: assumed; +: chosen)\n", out);
  td_host_print(&result->host, out);
  return status;
}

/* ---- JSON -------------------------------------------------------------------------------- */

/* What only a simulation knows. */
static void json_simulated(struct td_json *json, const struct td_simulate_result *result,
                           const struct td_simulate_row *row) {
  const struct td_simulated *at = &row->at;
  td_json_count(json, "objects", at->objects);
  td_json_real(json, "idle_share", td_simulate_idle(row));
  td_json_count(json, "steals", at->steals);
  td_json_real(json, "bound", td_simulate_bound(row));
  td_json_real(json, "memory_bound", td_simulate_memory_bound(row, &result->costs));
  td_json_real(json, "end_ns", at->end_ns);
  td_json_count(json, "took_part", at->took_part);
  td_json_count(json, "failed_steals", at->failed_steals);
  td_json_count(json, "grants", at->grants);
  td_json_count(json, "parks", at->parks);
  td_json_count(json, "accesses", at->accesses);
  td_json_count(json, "memory_lines", at->lines);
  td_json_count(json, "transfers", at->transfers);
  td_json_count(json, "instructions", at->instructions);
  td_json_count(json, "surprises", at->surprises);
  td_json_object_begin(json, "spent_share");
  for (unsigned i = 0; i < TD_SPENT_COUNT; i++)
    td_json_real(json, spent_names[i], td_simulate_spent(row, (enum td_spent)i));
  td_json_real(json, "asleep", td_simulate_asleep(row));
  td_json_object_end(json);
}

static void json_row(struct td_json *json, const struct td_simulate_result *result,
                     const struct td_simulate_row *row) {
  const struct td_simulated *at = &row->at;
  td_json_object_begin(json, NULL);
  td_json_string(json, "graph", row->graph);
  td_json_string(json, "engine", at->engine);
  td_json_count(json, "markers", at->markers);
  td_json_real(json, "mark_ns", at->mark_ns);
  td_json_real(json, "mark_ns_least", at->mark_ns_least);
  td_json_real(json, "mark_ns_most", at->mark_ns_most);
  td_json_real(json, "speedup", td_simulate_speedup(row));
  td_json_real(json, "efficiency", td_simulate_speedup(row) / at->markers);
  td_json_count(json, "critical_path", row->critical_path);
  if (!result->measured_only) json_simulated(json, result, row);
  if (row->measured_ns > 0) {
    td_json_real(json, "measured_ns", row->measured_ns);
    if (result->validate)
      td_json_real(json, "predicted_to_measured", at->mark_ns / row->measured_ns);
  }
  td_json_object_end(json);
}

int td_simulate_write_json(const struct td_simulate_result *result, const char *path) {
  if (!path) return TD_EXIT_OK;
  struct td_document document;
  int status = td_document_begin(&document, path, &result->host);
  if (status != TD_EXIT_OK) return status;
  struct td_json *json = &document.json;
  td_json_string(json, "topology", result->topology);
  td_json_string(json, "policy", result->policy);
  td_json_count(json, "seed", result->seed);
  td_json_count(json, "seeds", result->seeds);
  td_json_object_begin(json, "costs");
  for (unsigned i = 0; i < TD_COST_COUNT; i++)
    td_json_real(json, td_cost_entries[i].name, result->costs.at[i]);
  td_json_object_end(json);
  td_json_array_begin(json, "rows");
  for (size_t i = 0; i < result->row_count; i++)
    json_row(json, result, &result->rows[i]);
  td_json_array_end(json);
  return td_document_commit(&document);
}
