#include "bench/cli/place.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Finds the folder of the running program; "" if the system does not tell. */
static void own_folder(char *folder, size_t bytes) {
  ssize_t length = readlink("/proc/self/exe", folder, bytes - 1);
  folder[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(folder, '/');
  if (slash) *slash = '\0';
}

char *td_place_find(const char *candidate, ...) {
  char folder[4096];
  own_folder(folder, sizeof folder);
  char *found = NULL;
  va_list more;
  va_start(more, candidate);
  for (; candidate && !found; candidate = va_arg(more, const char *)) {
    char *path;
    if (asprintf(&path, "%s%s%s", candidate[0] == '/' ? "" : folder, candidate[0] == '/' ? "" : "/",
                 candidate) < 0)
      break;
    if (access(path, R_OK) == 0)
      found = path;
    else
      free(path);
  }
  va_end(more);
  return found;
}
