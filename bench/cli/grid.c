/* SPDX-License-Identifier: MIT */
#include "bench/cli/grid.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/complain.h"
#include "bench/cli/utf8.h"

/* A row of such cells is printed as a line across. */
static const char rule_mark[] = "\001";
/* In the first cell of a row: the rest of it is a title, and the other cells are as of a rule. */
static const char title_mark = '\002';

static void add_cell(struct td_grid *grid, char *text) {
  if (grid->cell_count == grid->cell_capacity) {
    size_t capacity = grid->cell_capacity ? grid->cell_capacity * 2 : 64;
    char **grown = realloc(grid->cells, capacity * sizeof *grown);
    if (grown) {
      grid->cells = grown;
      grid->cell_capacity = capacity;
    }
  }
  if (!text || grid->cell_count == grid->cell_capacity) {
    free(text);
    grid->failed = true;
    return;
  }
  grid->cells[grid->cell_count++] = text;
}

static size_t count_words(const char *text) {
  size_t words = 0;
  for (bool inside = false; *text; text++) {
    words += !inside && *text != ' ';
    inside = *text != ' ';
  }
  return words;
}

void td_grid_begin(struct td_grid *grid, const char *headings) {
  *grid = (struct td_grid){.columns = count_words(headings)};
  grid->right = calloc(grid->columns + 1, sizeof *grid->right);
  if (!grid->right) grid->failed = true;
  for (size_t column = 0; column < grid->columns; column++) {
    headings += strspn(headings, " ");
    size_t length = strcspn(headings, " ");
    size_t sign = *headings == '<' || *headings == '>';
    if (grid->right) grid->right[column] = *headings == '>';
    char *text = strndup(headings + sign, length - sign);
    for (char *c = text; c && *c; c++)
      if (*c == '_') *c = ' ';
    add_cell(grid, text);
    headings += length;
  }
}

void td_grid_cell(struct td_grid *grid, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = NULL;
  if (vasprintf(&text, format, arguments) < 0) text = NULL;
  va_end(arguments);
  char *plain = text ? td_utf8_plain(text) : NULL;
  free(text);
  add_cell(grid, plain);
}

void td_grid_rule(struct td_grid *grid) {
  for (size_t i = 0; i < grid->columns; i++)
    add_cell(grid, strdup(rule_mark));
}

void td_grid_title(struct td_grid *grid, const char *text) {
  char *plain = td_utf8_plain(text), *title = NULL;
  td_grid_rule(grid);
  if (plain && asprintf(&title, "%c%s", title_mark, plain) < 0) title = NULL;
  free(plain);
  add_cell(grid, title);
  for (size_t i = 1; i < grid->columns; i++)
    add_cell(grid, strdup(rule_mark));
}

bool td_grid_is_rule(const char *cell) {
  return strcmp(cell, rule_mark) == 0 || *cell == title_mark;
}

/* Returns the columns that the text takes on the screen: one for each byte that begins a character.
 */
static size_t width_of(const char *text) {
  size_t width = 0;
  for (; *text; text++)
    width += ((unsigned char)*text >> 6) != 2;
  return width;
}

static void print_blanks(FILE *out, size_t count, int blank) {
  for (size_t i = 0; i < count; i++)
    fputc(blank, out);
}

static void print_row(const struct td_grid *grid, const size_t *widths, size_t first, FILE *out) {
  if (*grid->cells[first] == title_mark) {
    fprintf(out, "%s\n", grid->cells[first] + 1);
    return;
  }
  size_t pending = 0; /* blanks that are printed only if something follows them */
  for (size_t column = 0; column < grid->columns && first + column < grid->cell_count; column++) {
    const char *text = grid->cells[first + column];
    if (strcmp(text, rule_mark) == 0) {
      print_blanks(out, widths[column] + (column ? 2 : 0), '-');
      continue;
    }
    size_t gap = widths[column] - width_of(text);
    if (grid->right[column]) pending += gap;
    if (*text) {
      print_blanks(out, pending, ' ');
      pending = 0;
      fputs(text, out);
    }
    pending += (grid->right[column] ? 0 : gap) + 2;
  }
  fputc('\n', out);
}

static int print_all(const struct td_grid *grid, FILE *out) {
  size_t *widths = calloc(grid->columns + 1, sizeof *widths);
  if (grid->failed || !widths) {
    free(widths);
    return td_complain(TD_EXIT_RESOURCES, "not enough memory for the table");
  }
  for (size_t i = 0; i < grid->cell_count; i++) {
    size_t width = td_grid_is_rule(grid->cells[i]) ? 0 : width_of(grid->cells[i]);
    if (width > widths[i % grid->columns]) widths[i % grid->columns] = width;
  }
  for (size_t first = 0; first < grid->cell_count; first += grid->columns)
    print_row(grid, widths, first, out);
  free(widths);
  return TD_EXIT_OK;
}

void td_grid_free(struct td_grid *grid) {
  for (size_t i = 0; i < grid->cell_count; i++)
    free(grid->cells[i]);
  free(grid->cells);
  free(grid->right);
  *grid = (struct td_grid){0};
}

int td_grid_print(struct td_grid *grid, FILE *out) {
  int status = print_all(grid, out);
  td_grid_free(grid);
  return status;
}
