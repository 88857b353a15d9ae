/* SPDX-License-Identifier: MIT */
/* Statuses, error texts and the version. */
#include "gc/state/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *tide_status_text(enum tide_status status) {
  static const char *const texts[] = {
      [TIDE_OK] = "no error",
      [TIDE_ERROR_ARGUMENT] = "invalid argument",
      [TIDE_ERROR_ENVIRONMENT] = "invalid environment variable",
      [TIDE_ERROR_MEMORY] = "out of memory",
      [TIDE_ERROR_LIMIT] = "limit exceeded",
      [TIDE_ERROR_STATE] = "not possible in this state",
      [TIDE_ERROR_SYSTEM] = "refused by the operating system",
      [TIDE_ERROR_CHECK] = "verification failed",
      [TIDE_ERROR_UNSUPPORTED] = "not in this build of the library",
  };
  return (size_t)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}

#define TEXT_OF(x) #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *tide_version(void) {
  return VERSION_TEXT(TIDE_VERSION_MAJOR, TIDE_VERSION_MINOR, TIDE_VERSION_PATCH);
}

enum tide_status td_fail(struct tide_error *error, enum tide_status status, const char *format,
                         ...) {
  if (!error) return status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  error->status = status;
  return status;
}

enum tide_status td_succeed(struct tide_error *error) {
  if (error) {
    error->status = TIDE_OK;
    error->text[0] = 0;
  }
  return TIDE_OK;
}

const char *td_list_names(char text[TD_NAMES_BYTES], const char *(*name)(size_t index)) {
  size_t used = 0;
  text[0] = 0;
  const char *each;
  for (size_t i = 0; (each = name(i)) && used < TD_NAMES_BYTES; i++)
    used += (size_t)snprintf(text + used, TD_NAMES_BYTES - used, "%s%s", i ? ", " : "", each);
  return text;
}

#ifdef TD_DEBUG
static const bool misuse_aborts = true;
#else
static const bool misuse_aborts = false;
#endif

void td_misuse(const char *format, ...) {
  if (!misuse_aborts) return;
  /* One write for the whole line: several threads may fail at the same moment. */
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "tidemark: %s\n", text);
  abort();
}

#define SIZE_MOST 4096u

bool td_sized_copy(void *to, size_t bytes, const void *given, const char *function,
                   const char *init, struct tide_error *error) {
  const unsigned char *from = given;
  size_t size;
  memcpy(&size, from, sizeof size);
  if (size < sizeof size || size > SIZE_MOST) {
    td_fail(error, TIDE_ERROR_ARGUMENT, "%s: options without %s (struct_size %zu)", function, init,
            size);
    return false;
  }
  for (size_t i = bytes; i < size; i++) {
    if (from[i] == 0) continue;
    td_fail(error, TIDE_ERROR_ARGUMENT,
            "%s: an option of a newer header is set (byte %zu), unknown to %s", function, i,
            tide_version());
    return false;
  }
  memcpy(to, from, size < bytes ? size : bytes);
  return true;
}
