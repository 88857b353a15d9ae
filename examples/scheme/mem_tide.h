/* SPDX-License-Identifier: MIT */
/* Inline allocation on Tidemark. */
#ifndef EXAMPLES_SCHEME_MEM_TIDE_H
#define EXAMPLES_SCHEME_MEM_TIDE_H

#include "mem.h"
#include "tide/tide.h"

#define MEM_NAME "tide"

extern struct tide_mutator *mem_mutator;
extern tide_layout mem_leaf_layout; /* objects without references, not zeroed; constant */

static inline void *mem_refs(size_t bytes) {
  void *object = tide_alloc(mem_mutator, TIDE_LAYOUT_REFS, bytes);
  if (!TIDE_LIKELY(object != NULL)) mem_exhausted(bytes);
  return object;
}

static inline void *mem_leaf(size_t bytes) {
  void *object = tide_alloc(mem_mutator, mem_leaf_layout, bytes);
  if (!TIDE_LIKELY(object != NULL)) mem_exhausted(bytes);
  return object;
}

/* Values that are no references, which is most of what vectors of numbers get, need no barrier. */
static inline void mem_write(void *object, void *slot, uintptr_t content) {
  if ((content & 15) == 0) tide_write_begin(mem_mutator, object, slot, 1);
  *(tide_slot *)slot = (void *)content;
}

static inline void mem_write_range(void *object, void *slots, const void *contents, size_t count) {
  tide_write_range(mem_mutator, object, slots, contents, count);
}

#endif
