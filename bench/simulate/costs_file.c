/* SPDX-License-Identifier: MIT */
/* Reading costs from JSON. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/complain.h"
#include "bench/simulate/measure.h"

#define FILE_BYTES_MOST (1u << 20)

/* Returns the text, to be freed, or NULL after saying why not. */
static char *read_file(const char *path) {
  FILE *file = fopen(path, "re");
  char *text = file ? malloc(FILE_BYTES_MOST + 1) : NULL;
  size_t bytes = text ? fread(text, 1, FILE_BYTES_MOST + 1, file) : 0;
  bool failed = !text || ferror(file);
  if (failed) td_complain(TD_EXIT_INPUT, "cannot read '%s': %s", path, strerror(errno));
  if (!failed && bytes > FILE_BYTES_MOST) {
    td_complain(TD_EXIT_INPUT, "'%s' is over a megabyte, which no file of costs is", path);
    failed = true;
  }
  if (file) fclose(file);
  if (failed) {
    free(text);
    return NULL;
  }
  text[bytes] = '\0';
  return text;
}

static const char *skip(const char *at) {
  while (isspace((unsigned char)*at))
    at++;
  return at;
}

/* Reads one "name": number. Returns what follows, or NULL after saying what is wrong. */
static const char *read_pair(const char *at, const char *path, struct td_costs *costs) {
  size_t length = *at == '"' ? strcspn(at + 1, "\"") : 0;
  enum td_cost cost = td_cost_find(at + 1, length);
  const char *value = length > 0 && at[length + 1] == '"' ? skip(at + length + 2) : "";
  if (*value != ':') {
    td_complain(TD_EXIT_INPUT, "%s: not JSON of names and numbers, at '%.20s'", path, at);
    return NULL;
  }
  if (cost == TD_COST_COUNT) {
    td_complain(TD_EXIT_INPUT, "%s: there is no cost '%.*s'", path, (int)length, at + 1);
    return NULL;
  }
  char *end;
  double number = strtod(value + 1, &end);
  if (end == value + 1 || !td_cost_is_valid(cost, number)) {
    td_complain(TD_EXIT_INPUT, "%s: the cost '%.*s' has no value that makes sense", path,
                (int)length, at + 1);
    return NULL;
  }
  costs->at[cost] = number;
  return skip(end);
}

static int read_object(const char *text, const char *path, struct td_costs *costs) {
  const char *inner = strstr(text, "\"costs\"");
  const char *at = strchr(inner ? inner : text, '{');
  if (!at) return td_complain(TD_EXIT_INPUT, "%s: there is no JSON object in it", path);
  for (at = skip(at + 1); *at != '}';) {
    at = read_pair(at, path, costs);
    if (!at) return TD_EXIT_INPUT;
    if (*at != ',' && *at != '}')
      return td_complain(TD_EXIT_INPUT, "%s: the object of costs does not end", path);
    if (*at == ',') at = skip(at + 1);
  }
  return TD_EXIT_OK;
}

int td_costs_read(struct td_costs *costs, const char *path) {
  char *text = read_file(path);
  if (!text) return TD_EXIT_INPUT;
  int status = read_object(text, path, costs);
  free(text);
  return status;
}
