/* SPDX-License-Identifier: MIT */
#include "bench/cli/complain.h"

#include <stdarg.h>
#include <stdlib.h>

#include "bench/cli/utf8.h"

/* File names and options are quoted in errors: what they hold must not reach the terminal raw. */
static void say(const char *prefix, const char *format, va_list arguments) {
  char *text = NULL;
  fputs(prefix, stderr);
  if (vasprintf(&text, format, arguments) >= 0)
    td_utf8_put_plain(text, stderr);
  else
    fputs("not enough memory to say what is wrong", stderr);
  free(text);
  fputc('\n', stderr);
}

int td_complain(int status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say("tidemark: ", format, arguments);
  va_end(arguments);
  return status;
}

void td_note(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say("tidemark: note: ", format, arguments);
  va_end(arguments);
}
