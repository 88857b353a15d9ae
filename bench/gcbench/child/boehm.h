/* SPDX-License-Identifier: MIT */
/* Boehm GC as an allocator of gcbench, set up to its advantage where there is a choice. Small
 * objects come from the thread's own free lists, by the inlined path of gc_inline.h. Kinds tell
 * where references are. Interior pointers are recognised on stacks only. Mark threads run. */
#ifndef TD_BENCH_GCBENCH_CHILD_BOEHM_H
#define TD_BENCH_GCBENCH_CHILD_BOEHM_H

#define GC_THREADS
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include <gc/gc.h>
#include <gc/gc_inline.h>
#pragma GCC diagnostic pop
#include <string.h>

#include "bench/gcbench/child/account.h"
#include "bench/gcbench/child/memory.h"

#define MEMORY_COLLECTS true

struct memory {
  void *lists[MEMORY_KINDS][GC_TINY_FREELISTS];
};

struct gcbench_boehm {
  int kind[MEMORY_KINDS];
};
extern struct gcbench_boehm gcbench_boehm; /* constant after memory_begin */

/* Free lists are chained through word 0. A free list of leaves, whose word 0 is not scanned, would
 * not be kept alive unless it is the collector's own; so leaves come from the collector's lists, by
 * a call. */
static inline void *memory_new(struct memory *memory, enum memory_kind kind, size_t bytes) {
  void *object;
  if (kind == MEMORY_LEAF) {
    object = GC_malloc_kind(bytes, GC_I_PTRFREE);
  } else {
    size_t granules = (bytes + GC_GRANULE_BYTES - 1) / GC_GRANULE_BYTES;
    int number = kind == MEMORY_REFS ? GC_I_NORMAL : gcbench_boehm.kind[kind];
    GC_FAST_MALLOC_GRANS(object, granules, memory->lists[kind], 0, number,
                         GC_malloc_kind(bytes, number), *(void **)object = NULL);
  }
  if (__builtin_expect(!object, 0)) gcbench_out_of_memory();
  return object;
}

static inline void *memory_new_zeroed(struct memory *memory, enum memory_kind kind, size_t bytes) {
  void *object = memory_new(memory, kind, bytes);
  if (kind == MEMORY_LEAF) memset(object, 0, bytes);
  return object;
}

/* No barrier. */
static inline void memory_write(struct memory *memory, void *object, void *slot, void *value) {
  (void)memory;
  (void)object;
  memcpy(slot, &value, sizeof value);
}

/* Threads are stopped by a signal. */
static inline void memory_poll(struct memory *memory) {
  (void)memory;
}

static inline void memory_free(struct memory *memory, void *object) {
  (void)memory;
  (void)object;
}

#endif
