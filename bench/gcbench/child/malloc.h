/* SPDX-License-Identifier: MIT */
/* malloc and free as an allocator of gcbench. What is linked decides whose they are: the C
 * library's, or those of a library that replaces them. */
#ifndef TD_BENCH_GCBENCH_CHILD_MALLOC_H
#define TD_BENCH_GCBENCH_CHILD_MALLOC_H

#include <stdlib.h>
#include <string.h>

#include "bench/gcbench/child/account.h"
#include "bench/gcbench/child/memory.h"

#define MEMORY_COLLECTS false

struct memory {
  char unused; /* C wants a member */
};

static inline void *memory_new(struct memory *memory, enum memory_kind kind, size_t bytes) {
  (void)memory;
  (void)kind;
  void *object = malloc(bytes);
  if (!object) gcbench_out_of_memory();
  return object;
}

static inline void *memory_new_zeroed(struct memory *memory, enum memory_kind kind, size_t bytes) {
  (void)memory;
  (void)kind;
  void *object = calloc(1, bytes);
  if (!object) gcbench_out_of_memory();
  return object;
}

/* No barrier. */
static inline void memory_write(struct memory *memory, void *object, void *slot, void *value) {
  (void)memory;
  (void)object;
  memcpy(slot, &value, sizeof value);
}

/* Nobody waits for it. */
static inline void memory_poll(struct memory *memory) {
  (void)memory;
}

static inline void memory_free(struct memory *memory, void *object) {
  (void)memory;
  free(object);
}

#endif
