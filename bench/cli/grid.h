/* SPDX-License-Identifier: MIT */
/* Text tables with aligned columns.
 *
 *   struct td_grid grid;
 *   td_grid_begin(&grid, "graph <engine >ns/object", …);   one string: names split by blanks,
 *                                                            '<' left (default), '>' right
 *   td_grid_cell(&grid, "%s", graph); …                     row by row, left to right
 *   return td_grid_print(&grid, stdout);
 *
 * A cell may hold UTF-8 of one column per character; what a terminal should not see becomes
 * U+FFFD. An underscore in a heading prints as a blank. */
#ifndef TD_BENCH_CLI_GRID_H
#define TD_BENCH_CLI_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct td_grid {
  char **cells; /* headings first */
  size_t cell_count, cell_capacity;
  size_t columns;
  bool *right; /* [columns] */
  bool failed;
};

void td_grid_begin(struct td_grid *grid, const char *headings);
void td_grid_cell(struct td_grid *grid, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A line across, before the next row. */
void td_grid_rule(struct td_grid *grid);
/* The same, and a text of any length below it. */
void td_grid_title(struct td_grid *grid, const char *text);
/* For other ways to print one: is this a cell of a line across? */
bool td_grid_is_rule(const char *cell);
void td_grid_free(struct td_grid *grid);
/* Prints the table and frees it. Returns an exit status: not 0 if memory had run out, which is then
 * said on stderr. */
int td_grid_print(struct td_grid *grid, FILE *out);

#endif
