/* SPDX-License-Identifier: MIT */
#include "bench/cli/place.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Finds the folder of the running program; "" if the system does not tell. */
static void own_folder(char *folder, size_t bytes) {
  ssize_t length = readlink("/proc/self/exe", folder, bytes - 1);
  folder[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(folder, '/');
  if (slash) *slash = '\0';
}

bool td_place_find(char path[TD_PLACE_BYTES], const char *candidate, ...) {
  char folder[4096];
  own_folder(folder, sizeof folder);
  bool found = false;
  va_list more;
  va_start(more, candidate);
  for (; candidate && !found; candidate = va_arg(more, const char *)) {
    bool whole = candidate[0] == '/';
    int length =
        snprintf(path, TD_PLACE_BYTES, "%s%s%s", whole ? "" : folder, whole ? "" : "/", candidate);
    found = length > 0 && length < TD_PLACE_BYTES && access(path, R_OK) == 0;
  }
  va_end(more);
  return found;
}
