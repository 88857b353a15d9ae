/* SPDX-License-Identifier: MIT */
#include "workloads/thg_error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

bool td_thg_fail_open(struct td_thg_error *error, const char *name, int why) {
  bool is_ours = why == ENOMEM || why == EMFILE || why == ENFILE;
  return td_thg_fail(error, is_ours ? TD_THG_NO_RESOURCES : TD_THG_BAD_INPUT, 0,
                     "%s: cannot read: %s", name, strerror(why));
}

void td_thg_report(const struct td_thg_progress *progress, const char *phase, uint64_t done,
                   uint64_t total) {
  if (progress && progress->report) progress->report(progress->context, phase, done, total);
}
