/* SPDX-License-Identifier: MIT */
#include "bench/boehm/environment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void td_boehm_clean_environment(void) {
  extern char **environ;
  for (size_t i = 0; environ[i];) {
    size_t length = strcspn(environ[i], "=");
    bool theirs = strncmp(environ[i], "GC_", 3) == 0;
    char *name = theirs ? strndup(environ[i], length) : NULL;
    if (name && unsetenv(name) == 0)
      i = 0; /* unsetenv has moved the rest */
    else
      i++;
    free(name);
  }
}
