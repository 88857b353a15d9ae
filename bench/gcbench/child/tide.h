/* SPDX-License-Identifier: MIT */
/* Tidemark as an allocator of gcbench: inlined allocation, conservative stacks. A struct memory is
 * a struct tide_mutator. */
#ifndef TD_BENCH_GCBENCH_CHILD_TIDE_H
#define TD_BENCH_GCBENCH_CHILD_TIDE_H

#include "bench/gcbench/child/account.h"
#include "bench/gcbench/child/memory.h"
#include "tide/tide.h"

#define MEMORY_COLLECTS true

struct gcbench_tide {
  struct tide_heap *heap;
  tide_layout layout[MEMORY_KINDS];
};
extern struct gcbench_tide gcbench_tide; /* constant after memory_begin */

static inline void *memory_new_of(struct memory *memory, tide_layout layout, size_t bytes) {
  void *object = tide_alloc((struct tide_mutator *)memory, layout, bytes);
  if (!TIDE_LIKELY(object)) gcbench_out_of_memory();
  return object;
}

/* MEMORY_LEAF is not zeroed. */
static inline void *memory_new(struct memory *memory, enum memory_kind kind, size_t bytes) {
  return memory_new_of(memory, kind == MEMORY_REFS ? TIDE_LAYOUT_REFS : gcbench_tide.layout[kind],
                       bytes);
}

static inline void *memory_new_zeroed(struct memory *memory, enum memory_kind kind, size_t bytes) {
  if (kind == MEMORY_LEAF) return memory_new_of(memory, TIDE_LAYOUT_LEAF, bytes);
  return memory_new(memory, kind, bytes);
}

static inline void memory_write(struct memory *memory, void *object, void *slot, void *value) {
  tide_write((struct tide_mutator *)memory, object, slot, value);
}

static inline void memory_poll(struct memory *memory) {
  tide_safepoint((struct tide_mutator *)memory);
}

static inline void memory_free(struct memory *memory, void *object) {
  (void)memory;
  (void)object;
}

#endif
