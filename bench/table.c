#include "bench/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A whole row of these is a line across. */
static const char rule_mark[] = "\001";

static void add_cell(struct td_table *table, char *text) {
  if (table->cell_count == table->cell_capacity) {
    size_t capacity = table->cell_capacity ? table->cell_capacity * 2 : 64;
    char **grown = realloc(table->cells, capacity * sizeof *grown);
    if (grown) {
      table->cells = grown;
      table->cell_capacity = capacity;
    }
  }
  if (!text || table->cell_count == table->cell_capacity) {
    free(text);
    table->failed = true;
    return;
  }
  table->cells[table->cell_count++] = text;
}

static size_t count_words(const char *text) {
  size_t words = 0;
  for (bool inside = false; *text; text++) {
    words += !inside && *text != ' ';
    inside = *text != ' ';
  }
  return words;
}

void td_table_begin(struct td_table *table, const char *headings) {
  *table = (struct td_table){.columns = count_words(headings)};
  table->right = calloc(table->columns + 1, sizeof *table->right);
  if (!table->right) table->failed = true;
  for (size_t column = 0; column < table->columns; column++) {
    headings += strspn(headings, " ");
    size_t length = strcspn(headings, " ");
    size_t sign = *headings == '<' || *headings == '>';
    if (table->right) table->right[column] = *headings == '>';
    char *text = strndup(headings + sign, length - sign);
    for (char *c = text; c && *c; c++)
      if (*c == '_') *c = ' ';
    add_cell(table, text);
    headings += length;
  }
}

void td_table_cell(struct td_table *table, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = NULL;
  if (vasprintf(&text, format, arguments) < 0) text = NULL;
  va_end(arguments);
  add_cell(table, text);
}

void td_table_rule(struct td_table *table) {
  for (size_t i = 0; i < table->columns; i++)
    add_cell(table, strdup(rule_mark));
}

/* Columns on the screen: bytes that do not continue a character. */
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

static void print_row(const struct td_table *table, const size_t *widths, size_t first, FILE *out) {
  size_t pending = 0; /* blanks that are printed only if something follows them */
  for (size_t column = 0; column < table->columns && first + column < table->cell_count; column++) {
    const char *text = table->cells[first + column];
    if (strcmp(text, rule_mark) == 0) {
      print_blanks(out, widths[column] + (column ? 2 : 0), '-');
      continue;
    }
    size_t gap = widths[column] - width_of(text);
    if (table->right[column]) pending += gap;
    if (*text) {
      print_blanks(out, pending, ' ');
      pending = 0;
      fputs(text, out);
    }
    pending += (table->right[column] ? 0 : gap) + 2;
  }
  fputc('\n', out);
}

void td_table_print(const struct td_table *table, FILE *out) {
  size_t *widths = calloc(table->columns + 1, sizeof *widths);
  if (table->failed || !widths) {
    fputs("(no memory for this table)\n", out);
    free(widths);
    return;
  }
  for (size_t i = 0; i < table->cell_count; i++) {
    size_t width = strcmp(table->cells[i], rule_mark) == 0 ? 0 : width_of(table->cells[i]);
    if (width > widths[i % table->columns]) widths[i % table->columns] = width;
  }
  for (size_t first = 0; first < table->cell_count; first += table->columns)
    print_row(table, widths, first, out);
  free(widths);
}

void td_table_free(struct td_table *table) {
  for (size_t i = 0; i < table->cell_count; i++)
    free(table->cells[i]);
  free(table->cells);
  free(table->right);
  *table = (struct td_table){0};
}
