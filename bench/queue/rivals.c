/* SPDX-License-Identifier: MIT */
#include "bench/queue/rivals.h"

#include <math.h>
#include <string.h>

#include "bench/cli/complain.h"
#include "bench/cli/grid.h"
#include "bench/rivals/list.h"

bool td_queue_is_lifo(const struct td_queue_kind *kind) {
  return td_queue_find(kind->name)->order == TD_QUEUE_NEWEST;
}

/* Numbers that are absent are the same. */
static bool same(double a, double b) {
  return isnan(a) ? isnan(b) : a == b;
}

static bool is_rival(const struct td_queue_cell *cell, const struct td_queue_cell *other) {
  if (!other->kind || other->kind == td_queue_kind_ceiling() || strstr(other->kind->name, "bwos"))
    return false;
  return td_queue_is_lifo(cell->kind) == td_queue_is_lifo(other->kind) &&
         strcmp(cell->pattern, other->pattern) == 0 && cell->cursor == other->cursor &&
         cell->threads == other->threads && cell->batch == other->batch &&
         cell->policy == other->policy && same(cell->stolen_wanted, other->stolen_wanted) &&
         same(cell->balance, other->balance) && same(cell->frequency, other->frequency);
}

static double mops_of(const struct td_queue_cell *cell) {
  return td_samples_summary(&cell->mops).median;
}

const struct td_queue_cell *td_queue_best_rival(const struct td_queue_bench *bench,
                                                const struct td_queue_cell *cell) {
  const struct td_queue_cell *best = NULL;
  if (!cell->kind) return NULL;
  if (strcmp(cell->kind->name, "bwos") != 0 && strcmp(cell->kind->name, "bwos-fifo") != 0)
    return NULL;
  for (size_t i = 0; i < bench->cell_count; i++) {
    const struct td_queue_cell *other = &bench->cells[i];
    if (!is_rival(cell, other) || !isfinite(mops_of(other))) continue;
    if (!best || mops_of(other) > mops_of(best)) best = other;
  }
  return best;
}

static void describe(const struct td_queue_bench *bench, const struct td_queue_cell *cell,
                     struct td_grid *grid) {
  td_grid_cell(grid, "%s", cell->kind->name);
  td_grid_cell(grid, "%s", cell->pattern);
  td_grid_cell(grid, "%s", cell->cursor == TD_CURSOR_LOCAL ? "local" : "in memory");
  td_grid_cell(grid, "%s", cell->policy ? cell->policy->name : "–");
  if (cell->batch)
    td_grid_cell(grid, "%u", cell->batch);
  else
    td_grid_cell(grid, "–");
  double at = cell->stolen_wanted;
  if (bench->experiment == TD_QUEUE_POOL) at = cell->balance;
  if (bench->experiment == TD_QUEUE_INTERFERENCE) at = cell->frequency;
  if (isfinite(at))
    td_grid_cell(grid, "%.10g", at);
  else
    td_grid_cell(grid, "–");
}

static void print_row(const struct td_queue_bench *bench, const struct td_queue_cell *cell,
                      const struct td_queue_cell *rival, struct td_grid *grid) {
  struct td_summary ratio = td_queue_ratio(bench, cell, (size_t)(rival - bench->cells));
  describe(bench, cell, grid);
  td_grid_cell(grid, "%s", rival->kind->name);
  if (ratio.count) {
    td_grid_cell(grid, "%.2f", ratio.median);
    td_grid_cell(grid, "%.2f–%.2f", ratio.min, ratio.max);
  } else {
    td_grid_cell(grid, "–");
    td_grid_cell(grid, "–");
  }
}

static bool has_rivals(const struct td_queue_bench *bench) {
  for (size_t i = 0; i < bench->cell_count; i++)
    if (td_queue_best_rival(bench, &bench->cells[i])) return true;
  return false;
}

int td_queue_rivals_print(const struct td_queue_bench *bench, FILE *out) {
  if (!has_rivals(bench)) return TD_EXIT_OK;
  struct td_grid grid;
  td_grid_begin(&grid, bench->experiment == TD_QUEUE_INTERFERENCE
                           ? "queue <pattern <cursor <policy >batch >wanted/s <best_rival "
                             ">times_it >spread"
                           : "queue <pattern <cursor <policy >batch >% <best_rival >times_it "
                             ">spread");
  for (size_t i = 0; i < bench->cell_count; i++) {
    const struct td_queue_cell *rival = td_queue_best_rival(bench, &bench->cells[i]);
    if (rival) print_row(bench, &bench->cells[i], rival, &grid);
  }
  fprintf(out,
          "\nBWoS against the fastest of its rivals: queues without BWoS whose owner gets items "
          "in the\nsame order, in the same rounds.\n\n");
  return td_grid_print(&grid, out);
}
