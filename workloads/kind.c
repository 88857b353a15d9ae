/* SPDX-License-Identifier: MIT */
#include "workloads/kind.h"

#include <stdarg.h>
#include <stdio.h>

bool td_graph_fail(struct td_graph_error *error, enum td_graph_status status, const char *format,
                   ...) {
  if (error == NULL) return false;
  error->status = status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  /* The text quotes what the user gave: keep it one line. */
  for (char *c = error->text; *c != '\0'; c++)
    if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
  return false;
}

void td_graph_plan(const struct td_graph_spec *spec, struct td_graph_plan *plan) {
  *plan = (struct td_graph_plan){0};
  if (spec->kind->plan != NULL) spec->kind->plan(spec, plan);
}
