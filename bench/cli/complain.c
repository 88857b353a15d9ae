#include "bench/cli/complain.h"

#include <stdarg.h>

int td_complain(int status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("tidemark: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  return status;
}
