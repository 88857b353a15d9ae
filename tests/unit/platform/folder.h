/* SPDX-License-Identifier: MIT */
/* A folder that stands for the root of the file system, with what a test writes there. */
#ifndef TD_TESTS_UNIT_PLATFORM_FOLDER_H
#define TD_TESTS_UNIT_PLATFORM_FOLDER_H

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[64];

static void begin(void) {
  strcpy(root, "/tmp/tide-unit-XXXXXX");
  cr_assert_not_null(mkdtemp(root));
}

static void end(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -r '%s'", root);
  cr_assert_eq(system(command), 0);
}

/* root/path with that content, and the folders that it needs. */
static void put(const char *path, const char *format, ...) {
  static char full[16384];
  snprintf(full, sizeof full, "%s/%s", root, path);
  for (char *at = full + strlen(root) + 1; (at = strchr(at, '/')); at++) {
    *at = 0;
    mkdir(full, 0777);
    *at = '/';
  }
  FILE *file = fopen(full, "w");
  cr_assert_not_null(file, "%s", full);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(file, format, arguments);
  va_end(arguments);
  cr_assert_eq(fclose(file), 0);
}

#endif
