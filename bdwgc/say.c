/* SPDX-License-Identifier: MIT */
/* Warnings, and the end. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bdwgc/say.h"
#include "bdwgc/uncancelled.h"

void td_bdwgc_tell(const char *format, ...) {
  TD_UNCANCELLED; /* or the stream would stay locked */
  va_list arguments;
  va_start(arguments, format);
  flockfile(stderr);
  fputs("tidemark: libgc: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  funlockfile(stderr);
  va_end(arguments);
}

static void warn(char *format, GC_word argument) {
  char text[256];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(text, sizeof text, format, argument); /* the format comes from td_bdwgc_warn */
#pragma GCC diagnostic pop
  td_bdwgc_tell("%s", text);
}

static GC_warn_proc warn_proc = warn;

void td_bdwgc_warn(const char *format, GC_word argument) {
  warn_proc((char *)format, argument);
}

EXPORT void GC_set_warn_proc(GC_warn_proc proc) {
  warn_proc = proc ? proc : warn;
}
EXPORT GC_warn_proc GC_get_warn_proc(void) {
  return warn_proc;
}

/* ---- The end ---- */

static void write_text(const char *text) {
  if (text) td_bdwgc_tell("%s", text);
}

EXPORT GC_abort_func GC_on_abort = write_text;

VALUE(GC_abort_func, abort_func, GC_on_abort)

void td_bdwgc_die(const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  GC_on_abort(text);
  abort();
}

EXPORT void GC_abort_on_oom(void) {
  td_bdwgc_tell("out of memory");
  GC_on_abort(NULL);
  exit(EXIT_FAILURE);
}

/* ---- What the program prints through the collector ---- */

static int log_fd = STDERR_FILENO;

void td_bdwgc_open_log(void) {
  const char *name = secure_getenv("GC_LOG_FILE");
  if (!name) return;
  int fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0)
    td_bdwgc_tell("GC_LOG_FILE: cannot open %s", name);
  else
    log_fd = fd;
}

EXPORT void GC_set_log_fd(int fd) {
  log_fd = fd;
}

#define PRINT_TO(fd)                                                                               \
  TD_UNCANCELLED;                                                                                  \
  va_list arguments;                                                                               \
  va_start(arguments, format);                                                                     \
  vdprintf(fd, format, arguments);                                                                 \
  va_end(arguments)

__attribute__((format(printf, 1, 2))) EXPORT void GC_printf(const char *format, ...) {
  PRINT_TO(1);
}
__attribute__((format(printf, 1, 2))) EXPORT void GC_err_printf(const char *format, ...) {
  PRINT_TO(2);
}
EXPORT void GC_log_printf(const char *format, ...) {
  PRINT_TO(log_fd);
}
