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

static inline void mem_safepoint(void) {
  tide_safepoint(mem_mutator);
}

static inline bool mem_is_reference(uintptr_t word) {
  return (word & 15) == 0;
}

/* The collector must know of a reference that is stored, which is young perhaps, and of one that is
 * overwritten, which marking beside the program would miss. Numbers over numbers, which is most of
 * what happens to vectors of them, need no barrier. */
static inline void mem_write(void *object, void *slot, uintptr_t content) {
  if (mem_is_reference(content) || mem_is_reference((uintptr_t) * (tide_slot *)slot))
    tide_write_begin(mem_mutator, object, slot, 1);
  *(tide_slot *)slot = (void *)content;
}

static inline void mem_write_range(void *object, void *slots, const void *contents, size_t count) {
  tide_write_range(mem_mutator, object, slots, contents, count);
}

#endif
