/* SPDX-License-Identifier: MIT */
/* Variables that are ended where their scope ends, the last one first. */
#ifndef TD_TESTS_SCOPED_H
#define TD_TESTS_SCOPED_H

#include <stdlib.h>
#include <string.h>

#define SCOPED(end) __attribute__((cleanup(end)))

static inline void free_at(void *pointer) {
  void *memory;
  memcpy(&memory, pointer, sizeof memory);
  free(memory);
}
#define FREED SCOPED(free_at)

#define SCOPED_GRAPH SCOPED(td_thg_free) struct td_thg
#define SCOPED_SPEC SCOPED(td_graph_spec_free) struct td_graph_spec

#endif
