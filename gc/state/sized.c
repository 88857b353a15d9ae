/* SPDX-License-Identifier: MIT */
#include "gc/state/sized.h"

#include <string.h>

#include "gc/state/error.h"

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
