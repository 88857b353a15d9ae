/* What the fuzz targets share: a graph that was read must be valid, an error must say something. */
#ifndef TD_TESTS_FUZZ_FUZZ_H
#define TD_TESTS_FUZZ_FUZZ_H

#include <stdio.h>
#include <stdlib.h>

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

#endif
