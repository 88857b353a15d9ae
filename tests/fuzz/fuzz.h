/* SPDX-License-Identifier: MIT */
/* What the fuzz targets share: a graph that was read must be valid, an error must say something. */
#ifndef TD_TESTS_FUZZ_FUZZ_H
#define TD_TESTS_FUZZ_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/import.h"
#include "workloads/thg_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void judge(bool was_read, struct td_thg *graph, const struct td_thg_error *error) {
  struct td_thg_error fault = {0};
  if (was_read && !td_thg_check(graph, &fault)) {
    fprintf(stderr, "an invalid graph: %s\n", fault.text);
    abort();
  }
  if (!was_read && (error->kind == TD_THG_OK || error->text[0] == '\0')) {
    fprintf(stderr, "refused without a reason\n");
    abort();
  }
  td_thg_free(graph);
}

/* Imports the bytes as the dump that they are once they begin with `magic`. */
static inline void import_as(const char *magic, size_t magic_bytes, const uint8_t *data,
                             size_t size) {
  struct td_thg graph;
  struct td_thg_error error = {0};
  if (size < magic_bytes) return;
  uint8_t *bytes = malloc(size);
  if (!bytes) return;
  memcpy(bytes, data, size);
  memcpy(bytes, magic, magic_bytes);
  bool was_read = td_import_bytes(bytes, size, "fuzz", &graph, NULL, &error);
  judge(was_read, &graph, &error);
  free(bytes);
}

#endif
