/* SPDX-License-Identifier: MIT */
#include "bench/compare/table.h"

#include <inttypes.h>

#include "bench/cli/grid.h"
#include "bench/cli/utf8.h"

static void checked_cell(struct td_grid *grid, const struct td_graph_rows *graph,
                         const struct td_row *row) {
  switch (row->checked) {
  case TD_CHECKED_EQUAL:
    td_grid_cell(grid, "equal");
    break;
  case TD_CHECKED_MORE:
    td_grid_cell(grid, "%" PRIu64 " more", row->objects - graph->objects);
    break;
  case TD_CHECKED_DIFFERENT:
    td_grid_cell(grid, "DIFFERENT");
    break;
  case TD_NOT_CHECKED:
    td_grid_cell(grid, "-");
    break;
  }
}

/* Returns what is to be said of a ratio behind it. */
static const char *mark_of(const struct td_comparison *comparison, const struct td_row *row) {
  bool alike = td_rows_alike(row, row->base);
  bool unsure = comparison->seconds > 0 && td_row_is_compared(row) && !td_row_is_known(row);
  return alike && unsure ? "~?" : alike ? "~ " : unsure ? " ?" : "  ";
}

static void table_row(struct td_grid *grid, const struct td_comparison *comparison,
                      const struct td_graph_rows *graph, const struct td_row *row) {
  struct td_summary ns = td_row_ns_per_object(graph, row);
  struct td_summary ratio = td_row_ratio(row);
  td_grid_cell(grid, "%s", row->engine.label);
  td_grid_cell(grid, "%u", row->markers);
  td_grid_cell(grid, "%.2f", ns.median * (double)graph->objects / 1e6);
  td_grid_cell(grid, "%.2f", ns.median);
  if (ratio.count)
    td_grid_cell(grid, "%.2f (%.2f-%.2f) %s", ratio.median, ratio.min, ratio.max,
                 mark_of(comparison, row));
  else
    td_grid_cell(grid, "-");
  if (comparison->limit) {
    td_grid_cell(grid, "%.2f", td_row_to_oracle(graph, row).median);
    td_grid_cell(grid, "%.2f", td_row_to_replay(graph, row).median);
  }
  if (row->cycle)
    td_grid_cell(grid, "%.0f", td_samples_summary(&row->steals).median);
  else
    td_grid_cell(grid, "-");
  checked_cell(grid, graph, row);
}

/* ---- What cannot be told apart --------------------------------------------------------- */

/* Prints the pairs of engines on one graph that cannot be told apart and are not marked in the
 * table, which compares with the first engine only. Returns whether there were any. */
static bool print_pairs(const struct td_graph_rows *graph, unsigned markers, bool first,
                        FILE *out) {
  bool any = false;
  for (size_t i = 0; i < graph->row_count; i++)
    for (size_t j = 0; j < i; j++) {
      const struct td_row *a = &graph->rows[j], *b = &graph->rows[i];
      if (a->markers != markers || a == a->base || !td_rows_alike(a, b)) continue;
      if (!any) {
        fputs(first ? "Cannot be told apart from each other:\n  " : "  ", out);
        td_utf8_put_plain(graph->label, out);
        fprintf(out, ", %u marker%s:", markers, markers == 1 ? "" : "s");
      }
      fprintf(out, "%s %s ~ %s", any ? "," : "", a->engine.label, b->engine.label);
      any = true;
    }
  if (any) fputc('\n', out);
  return any;
}

/* Says what the mark in the table means, if it is there, and lists the other pairs. */
static void print_alike(const struct td_comparison *comparison, FILE *out) {
  bool marked = false;
  for (size_t g = 0; g < comparison->graph_count; g++)
    for (size_t i = 0; i < comparison->graphs[g].row_count; i++) {
      const struct td_row *row = &comparison->graphs[g].rows[i];
      marked = marked || (row->base && td_rows_alike(row, row->base));
    }
  if (marked)
    fprintf(out, "~: cannot be told apart from %s; too few rounds agree on which is faster.\n",
            comparison->engines[0].label);
  unsigned fewest, most;
  td_comparison_rounds(comparison, &fewest, &most);
  if (most < TD_ROUNDS_TO_DIFFER) {
    if (marked) fprintf(out, "Fewer than %u rounds tell nothing apart.\n", TD_ROUNDS_TO_DIFFER);
    return;
  }
  bool any = false;
  for (size_t g = 0; g < comparison->graph_count; g++)
    for (size_t m = 0; m < comparison->marker_count; m++)
      any = print_pairs(&comparison->graphs[g], comparison->markers[m], !any, out) || any;
}

/* How many rounds there were, and why. */
static void print_rounds(const struct td_comparison *comparison, FILE *out) {
  unsigned fewest, most;
  td_comparison_rounds(comparison, &fewest, &most);
  fprintf(out, "\nMedians of %u", fewest);
  if (most > fewest) fprintf(out, " to %u", most);
  fputs(" interleaved round(s)", out);
  if (comparison->seconds <= 0) {
    fputs(". ", out);
    return;
  }
  fprintf(out,
          ": of each graph at least %u, until every median ratio is known to %.0f %%\n(95 %% "
          "order-statistic interval) or %g s are over. ",
          comparison->rounds, 100 * TD_RATIO_DOUBT, comparison->seconds);
  bool all = true;
  for (size_t g = 0; g < comparison->graph_count; g++)
    all = all && !comparison->graphs[g].out_of_time;
  fputs(all ? "All are known.\n" : "Those with a ? are not.\n", out);
}

int td_compare_print(const struct td_comparison *comparison, FILE *out) {
  struct td_grid grid;
  td_grid_begin(&grid, comparison->limit ? "engine >markers >mark_ms >ns/object >ratio_(spread) "
                                           ">to_oracle >to_replay >steals >check"
                                         : "engine >markers >mark_ms >ns/object >ratio_(spread) "
                                           ">steals >check");
  for (size_t g = 0; g < comparison->graph_count; g++) {
    const struct td_graph_rows *graph = &comparison->graphs[g];
    td_grid_title(&grid, graph->label);
    for (size_t i = 0; i < graph->row_count; i++)
      table_row(&grid, comparison, graph, &graph->rows[i]);
  }
  int status = td_grid_print(&grid, out);
  print_rounds(comparison, out);
  fprintf(out,
          "ratio: mark time over that of %s with as many markers, taken round by round,\n"
          "from the least to the most; over 1 is slower.\n",
          comparison->engines[0].label);
  if (comparison->limit)
    fputs("to oracle: mark time over that of touching the same memory with all of it known\n"
          "beforehand, in the better of two orders, with as many threads. to replay: over that\n"
          "of a marker's own touches, a mark byte for every reference; 1 is the limit.\n",
          out);
  if (comparison->engine_count > 1) print_alike(comparison, out);
  td_host_print(&comparison->host, out);
  return status;
}
