#include "workloads/thg_error.h"

#include <stdarg.h>
#include <stdio.h>

bool td_thg_fail(struct td_thg_error *error, enum td_thg_error_kind kind, uint64_t offset,
                 const char *format, ...) {
  if (!error) return false;
  error->kind = kind;
  error->offset = offset;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  return false;
}

bool td_thg_fail_memory(struct td_thg_error *error, const char *name, const char *what) {
  return td_thg_fail(error, TD_THG_NO_RESOURCES, 0, "%s: out of memory for %s", name, what);
}

void td_thg_report(const struct td_thg_progress *progress, const char *phase, uint64_t done,
                   uint64_t total) {
  if (progress && progress->report) progress->report(progress->context, phase, done, total);
}
