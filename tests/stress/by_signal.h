/* SPDX-License-Identifier: MIT */
/* Threads that a signal stops, for the drivers. */
#ifndef TD_TESTS_STRESS_BY_SIGNAL_H
#define TD_TESTS_STRESS_BY_SIGNAL_H

#include "tests/stress/driver.h"

/* Attaches this thread as one that a signal stops wherever it is. */
static inline struct tide_mutator *attach_by_signal(struct tide_heap *heap) {
  struct tide_attach_options options;
  struct tide_error error;
  tide_attach_options_init(&options);
  options.stop = TIDE_STOP_SIGNAL;
  struct tide_mutator *m = tide_attach(heap, &options, &error);
  if (!m) fprintf(stderr, "%s\n", error.text);
  CHECK(m);
  return m;
}

#endif
