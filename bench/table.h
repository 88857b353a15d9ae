/* Text tables with aligned columns.
 *
 *   struct td_table table;
 *   td_table_begin(&table, "graph <engine >ns/object", …);   one string: names split by blanks,
 *                                                            '<' left (default), '>' right
 *   td_table_cell(&table, "%s", graph); …                     row by row, left to right
 *   td_table_print(&table, stdout);
 *   td_table_free(&table);
 *
 * A cell may hold UTF-8 of one column per character. An underscore in a heading prints as a
 * blank. If memory runs out the table says so when printed. */
#ifndef TD_BENCH_TABLE_H
#define TD_BENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct td_table {
  char **cells; /* headings first */
  size_t cell_count, cell_capacity;
  size_t columns;
  bool *right; /* [columns] */
  bool failed;
};

void td_table_begin(struct td_table *table, const char *headings);
void td_table_cell(struct td_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A line across, before the next row. */
void td_table_rule(struct td_table *table);
void td_table_print(const struct td_table *table, FILE *out);
void td_table_free(struct td_table *table);

#endif
